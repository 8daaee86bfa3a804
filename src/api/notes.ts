import { Type } from '@sinclair/typebox'
import { createdAt } from '../base/id.ts'
import type { Stores } from '../stores/stores.ts'
import { maxNotes, type Note, noteRule } from '../submissions/notes.ts'
import { jsonBody } from './json-body.ts'
import { NamedObject, Text } from './kind-schema.ts'
import { readOperation, writeOperation } from './operation.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'

const tags = ['Notes'] as const

const noteMembers = {
  text: Text({ ...noteRule, description: 'Plain text', example: 'Called back on Monday' }),
  by: Type.Unsafe<string | null>({
    type: 'string',
    format: 'email',
    nullable: true,
    description: 'Email address of the user who wrote it; null if the user was deleted, or it was imported',
    example: 'ada@example.com',
  }),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
}

export const ExportedNoteSchema = NamedObject('ExportedNote', noteMembers)

const NoteSchema = NamedObject('Note', {
  id: Type.String({ description: 'Note identifier', example: '01kahp5x2r00note4tznwe8cm3kq' }),
  ...noteMembers,
})
const NoteListSchema = NamedObject('NoteList', { notes: Type.Array(NoteSchema, { maxItems: maxNotes }) })
const NoteInputSchema = NamedObject('NoteInput', { text: noteMembers.text })

export const noteOperations = ({ access, aboutSubmission, submissions: store }: Stores) => {
  const listNotes = (userId: string, { formId, submissionId }: { formId: string; submissionId: string }) => {
    const form = access.findFormTo('read', userId, formId)
    const [found] = store.findSubmission(form, 'inbox', submissionId).submissions
    return { notes: aboutSubmission(form, found).notes.map(toJson) }
  }
  return [
    readOperation({
      method: 'GET',
      path: '/forms/:formId/submissions/:submissionId/notes',
      role: 'reader',
      operationId: 'listNotes',
      tags,
      summary: 'List the notes on a submission',
      description: 'Oldest first. Visitors never see them.',
      answer: NoteListSchema,
      errors: commonErrors,
      handle: ({ caller, params }) => JSON.stringify(listNotes(caller.userId, params)),
    }),

    writeOperation({
      method: 'POST',
      path: '/forms/:formId/submissions/:submissionId/notes',
      role: 'editor',
      operationId: 'addNote',
      tags,
      summary: 'Add a note to a submission',
      description: `Returns all notes, oldest first. A submission has at most ${maxNotes}, and a note is never changed.`,
      body: jsonBody(NoteInputSchema),
      answer: NoteListSchema,
      errors: commonErrors,
      async handle({ caller: { userId }, params, body }) {
        await store.addNote(userId, params, body.text)
        return listNotes(userId, params)
      },
    }),

    writeOperation({
      method: 'DELETE',
      path: '/forms/:formId/submissions/:submissionId/notes/:noteId',
      role: 'editor',
      operationId: 'deleteNote',
      tags,
      summary: 'Delete a note',
      description: 'The user who wrote it may do so, and managers.',
      answer: SuccessSchema,
      errors: commonErrors,
      handle: ({ caller, params }) => store.deleteNote(caller.userId, params, params.noteId),
    }),
  ]
}

const toJson = ({ id, text, by }: Note) => ({ id, text, by, createdAt: createdAt(id) })

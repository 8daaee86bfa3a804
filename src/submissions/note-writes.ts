import { and, eq } from 'drizzle-orm'
import { forbidden, invalid, notFound } from '../base/errors.ts'
import { accessIn } from '../forms/access.ts'
import { trailWrites } from '../forms/trail.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { notes, param, params, submissions } from '../storage/tables.ts'
import { changeCounter } from './handling-writes.ts'
import { inboxOf, inList } from './lists.ts'
import { type ImportedNote, maxNotes, noteReads } from './notes.ts'

interface OfNote {
  readonly userId: string
  readonly formId: string
  readonly submissionId: string
  /** The note's identifier. */
  readonly id: string
}

/** @throws AppErrors `not_found` and `forbidden` for the form, `not_found` if the submission is not in the inbox */
export const noteWrites = (db: Db) => {
  const { findFormTo, mayDo } = accessIn(db)
  const { countOf } = noteReads(db)
  const toTrail = trailWrites(db)
  const countChange = changeCounter(db)
  const insert = noteInsertion(db)
  const byId = and(eq(notes.form, param('form')), eq(notes.submission, param('submission')), eq(notes.id, param('id')))
  const find = db.select({ userId: notes.userId }).from(notes).where(byId).prepare()
  const remove = db.delete(notes).where(byId).prepare()
  const isInInbox = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('submission'))))
    .prepare()
  const findForm = ({ userId, formId, submissionId: submission }: OfNote) => {
    const form = findFormTo('edit', userId, formId)
    if (!isInInbox.get({ ...inboxOf(form.number), submission })) throw notFound('Submission')
    return form
  }

  return {
    /** @throws AppError `invalid` if the submission has as many notes as it may have */
    addNote(input: OfNote & { readonly text: string }): void {
      const { userId, submissionId: submission, id, text } = input
      const { number: form } = findForm(input)
      if (countOf(form, submission) >= maxNotes)
        throw invalid({ field: 'submissionId', message: `must be a submission with fewer than ${maxNotes} notes` })
      insert.run({ form, submission, id, text, userId })
      countChange(form)
    },

    /** @throws AppErrors `not_found` for the note, `forbidden` for that of someone else, if the user is no manager */
    deleteNote(input: OfNote & { readonly now: number }): void {
      const { userId, submissionId: submission, id, now: at } = input
      const form = findForm(input)
      const place = { form: form.number, submission, id }
      const found = find.get(place)
      if (!found) throw notFound('Note')
      if (found.userId !== userId && !mayDo(userId, form, 'removeNotes')) throw forbidden()
      remove.run(place)
      countChange(form.number)
      toTrail(form.number, { userId, at, what: 'note' })
    },
  }
}

/** Removes the notes of a submission that was deleted. Returns how many they were. Must run in the same transaction. */
export const noteRemoval = oncePerConnection((db: Db): ((form: number, submission: string) => number) => {
  const countChange = changeCounter(db)
  const remove = db
    .delete(notes)
    .where(and(eq(notes.form, param('form')), eq(notes.submission, param('submission'))))
    .returning({ form: notes.form })
    .prepare()
  return (form, submission) => {
    const { length } = remove.all({ form, submission })
    // With the last one, the columns for what people do are gone from exports.
    if (length > 0) countChange(form)
    return length
  }
})

/** Adds the notes of a submission that is imported, a list of `ImportedNote` as JSON. No user of this server wrote them. */
export const noteImporter = (db: Db): ((form: number, submission: string, json: string) => void) => {
  const insert = noteInsertion(db)
  return (form, submission, json) => {
    for (const [id, text] of JSON.parse(json) as ImportedNote[])
      insert.run({ form, submission, id, text, userId: null })
  }
}

const noteInsertion = (db: Db) =>
  db
    .insert(notes)
    .values(params('form', 'submission', 'id', 'text', 'userId'))
    .prepare()

import { Type } from '@sinclair/typebox'
import type { Stores } from '../stores/stores.ts'
import { handlingStates } from '../submissions/states.ts'
import { IdsInBody } from './ids-to-delete.ts'
import { bulkBody, jsonBody } from './json-body.ts'
import { Choice, NamedObject } from './kind-schema.ts'
import { readOperation, writeOperation } from './operation.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'

const tags = ['Handling'] as const

export const HandlingStateSchema = Choice({
  name: 'HandlingState',
  choices: handlingStates,
  description: '`done` when nothing is left to do about it',
  example: 'done',
})

const HandlingSchema = NamedObject('Handling', {
  state: HandlingStateSchema,
  by: Type.Unsafe<string | null>({
    type: 'string',
    format: 'email',
    nullable: true,
    description: 'Email address of the user who changed it last; null if no one did, or the user was deleted',
    example: 'ada@example.com',
  }),
  at: Type.Unsafe<string | null>({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it was changed last',
    example: '2026-11-21T08:01:00.000Z',
  }),
})

const HandlingChangesSchema = NamedObject('HandlingChanges', {
  state: Type.Optional(HandlingStateSchema),
})

const BulkHandlingSchema = NamedObject('BulkHandling', {
  ids: IdsInBody.properties.ids,
  state: HandlingStateSchema,
})

export const handlingOperations = ({ access, aboutSubmission, submissions: store }: Stores) => {
  const handlingJson = (userId: string, formId: string, id: string) => {
    const form = access.findFormTo('read', userId, formId)
    const { at, ...handling } = aboutSubmission(form, store.findSubmission(form, 'inbox', id).submissions[0]).handling
    return { ...handling, at: at === null ? null : new Date(at).toISOString() }
  }
  return [
    readOperation({
      method: 'GET',
      path: '/forms/:formId/submissions/:submissionId/handling',
      role: 'reader',
      operationId: 'getHandling',
      tags,
      summary: 'Get what was done about a submission',
      description: 'An untouched submission is `open`.',
      answer: HandlingSchema,
      errors: commonErrors,
      handle: ({ caller, params }) => JSON.stringify(handlingJson(caller.userId, params.formId, params.submissionId)),
    }),

    writeOperation({
      method: 'PATCH',
      path: '/forms/:formId/submissions/:submissionId/handling',
      role: 'editor',
      operationId: 'updateHandling',
      tags,
      summary: 'Mark a submission as done or open',
      description: 'What is absent stays as it is. `by` and `at` change only if `state` does.',
      body: jsonBody(HandlingChangesSchema),
      answer: HandlingSchema,
      errors: commonErrors,
      async handle({ caller: { userId }, params: { formId, submissionId }, body }) {
        await store.handleSubmissions(userId, formId, [submissionId], body.state)
        return handlingJson(userId, formId, submissionId)
      },
    }),

    writeOperation({
      method: 'PATCH',
      path: '/forms/:formId/submissions/handling/bulk',
      role: 'editor',
      operationId: 'updateHandlingInBulk',
      tags,
      summary: 'Mark multiple submissions as done or open',
      description: 'Changes 1 to 1,000 submissions: all of them or none.',
      body: bulkBody(BulkHandlingSchema),
      answer: SuccessSchema,
      errors: commonErrors,
      handle: ({ caller, params, body }) => store.handleSubmissions(caller.userId, params.formId, body.ids, body.state),
    }),
  ]
}

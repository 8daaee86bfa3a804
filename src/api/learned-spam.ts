import { Type } from '@sinclair/typebox'
import type { Stores } from '../stores/stores.ts'
import { NamedObject } from './kind-schema.ts'
import { slowReadOperation, writeOperation } from './operation.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'

const tags = ['Spam'] as const

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, example })

const LearnedSpamSchema = NamedObject('LearnedSpam', {
  marked: count('Submissions that were marked as spam, of the last year: at most 300', 12),
  kept: count('Submissions that looked like spam and are not: at most 100', 1),
  inbox: count('Submissions in the inbox that they are compared with: at most 200 that someone has seen', 200),
  isActing: Type.Boolean({
    description:
      'Whether something may be held back for its words: `learnSpam` is on, with 5 in `marked`, and 50 in `inbox` that do not look like spam',
    example: true,
  }),
  wouldHoldBack: count('How many of `inbox` would be held back if they were new', 0),
  recognises: count('How many of `marked` would be held back if they were new', 9),
  suspects: Type.Array(Type.String({ example: '01kahp6a8d00q2s4tznwe8cm3k9f' }), {
    maxItems: 200,
    description: 'Identifiers of submissions in the inbox that look like spam, newest first, among its newest 200',
  }),
})

export const learnedSpamOperations = ({ submissions }: Stores) => [
  slowReadOperation({
    method: 'GET',
    isSlow: true,
    path: '/forms/:formId/spam/learned',
    role: 'reader',
    operationId: 'getLearnedSpam',
    tags,
    summary: 'Get what a form has learned of spam',
    description:
      'What the setting `learnSpam` makes of the submissions that were marked as spam. While it is off, this is what it would do.',
    answer: LearnedSpamSchema,
    errors: commonErrors,
    handle: async ({ caller, params }) =>
      JSON.stringify(await submissions.learning.numbersOf(caller.userId, params.formId)),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/spam/learned',
    role: 'manager',
    operationId: 'forgetLearnedSpam',
    tags,
    summary: 'Forget what a form has learned of spam',
    description: 'Deletes what was learned from marks. The submissions stay where they are.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => submissions.learning.forget(caller.userId, params.formId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/submissions/:submissionId/not-spam',
    role: 'editor',
    operationId: 'keepSubmission',
    tags,
    summary: 'Say that a submission is not spam',
    description:
      'For one of `suspects`: it is no longer listed there, and submissions like it are not held back. Does nothing while ' +
      '`learnSpam` is off.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => submissions.learning.keepInInbox(caller.userId, params.formId, params.submissionId),
  }),
]

import type { SpamStore } from '../spam/store.ts'
import { readErrors, SuccessSchema, success, writeErrors } from './answer-schemas.ts'
import { idsBody, idsQuery, parseIdsToDelete } from './ids-to-delete.ts'
import { linkToFirstSpam } from './links.ts'
import { readOperation, writeOperation } from './operation.ts'
import { spamJson, spamListJson } from './submission-json.ts'
import { SpamListSchema, SpamSchema } from './submission-schemas.ts'
import { submissionsQuery } from './submissions-query.ts'

const tags = ['Spam']

export const spamOperations = (store: SpamStore) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/spam',
    operationId: 'listSpam',
    tags,
    summary: 'List the spam of a form',
    description:
      'The submissions in quarantine, newest first, with the reason. Spam is in no list of submissions and does not count, ' +
      'and nobody was told about it. `startDate` and `endDate` limit the list to a date range.',
    query: submissionsQuery,
    answer: SpamListSchema,
    errors: readErrors,
    links: {
      ...linkToFirstSpam('getSpam', 'Gets the first spam of the page.'),
      ...linkToFirstSpam('acceptSpam', 'Accepts the first spam of the page.'),
      ...linkToFirstSpam('deleteSpam', 'Deletes the first spam of the page.'),
    },
    handle: ({ caller, params, query: { page, range } }) =>
      spamListJson(store.listSpam(caller.userId, params.formId, page, range), page),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/spam/bulk',
    operationId: 'deleteSpamInBulk',
    tags,
    summary: 'Delete spam in bulk',
    description:
      'Permanently deletes the spam with these 1 to 1,000 identifiers: all of it or none. ' +
      'Send the identifiers either in the body or in the query; a request with both or neither gets 400.',
    query: idsQuery,
    body: idsBody,
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params, query, body }) {
      await store.deleteSpam(caller.userId, params.formId, parseIdsToDelete(query, body))
      return success
    },
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/spam/all',
    operationId: 'deleteAllSpam',
    tags,
    summary: 'Delete all spam of a form',
    description: 'Permanently deletes whatever was held back until now. It is a success, too, if there was nothing.',
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params }) {
      await store.deleteAllSpam(caller.userId, params.formId)
      return success
    },
  }),

  readOperation({
    method: 'GET',
    path: '/forms/:formId/spam/:submissionId',
    operationId: 'getSpam',
    tags,
    summary: 'Get spam',
    description: 'One submission in quarantine, with all its data and the reason.',
    answer: SpamSchema,
    errors: readErrors,
    handle: ({ caller, params }) => spamJson(store.findSpam(caller.userId, params.formId, params.submissionId)),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/spam/:submissionId',
    operationId: 'deleteSpam',
    tags,
    summary: 'Delete spam',
    description: 'Permanently deletes one submission in quarantine.',
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params }) {
      await store.deleteSpam(caller.userId, params.formId, [params.submissionId])
      return success
    },
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/spam/:submissionId/accept',
    operationId: 'acceptSpam',
    tags,
    summary: 'Accept spam as a submission',
    description:
      'Moves it into the list of submissions, with the same identifier and `createdAt`. It counts from then on. Receivers ' +
      'that were not told about it before are told now.',
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params }) {
      await store.acceptSpam(caller.userId, params.formId, params.submissionId)
      return success
    },
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/submissions/:submissionId/spam',
    operationId: 'markSpam',
    tags,
    summary: 'Mark a submission as spam',
    description:
      'Moves it into quarantine, with the same identifier and `createdAt` and the reason `marked`. Its pending deliveries ' +
      'are dropped.',
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params }) {
      await store.markSpam(caller.userId, params.formId, params.submissionId)
      return success
    },
  }),
]

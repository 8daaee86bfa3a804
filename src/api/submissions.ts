import type { SubmissionStore } from '../submissions/store.ts'
import { readErrors, SuccessSchema, success, writeErrors } from './answer-schemas.ts'
import { idsBody, idsQuery, parseIdsToDelete } from './ids-to-delete.ts'
import { linkToFirstSubmission } from './links.ts'
import { readOperation, writeOperation } from './operation.ts'
import { submissionJson, submissionListJson } from './submission-json.ts'
import { SubmissionListSchema, SubmissionSchema } from './submission-schemas.ts'
import { submissionsQuery } from './submissions-query.ts'

const tags = ['Submissions']

export const submissionOperations = (store: SubmissionStore) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/submissions',
    operationId: 'listSubmissions',
    tags,
    summary: 'List submissions for a form',
    description:
      'Newest first. `startDate` and `endDate` limit the list to a date range, and `pagination.total` counts only the ' +
      'submissions in it.',
    query: submissionsQuery,
    answer: SubmissionListSchema,
    errors: readErrors,
    links: {
      ...linkToFirstSubmission('getSubmission', 'Gets the first submission of the page.'),
      ...linkToFirstSubmission('deleteSubmission', 'Deletes the first submission of the page.'),
    },
    handle: ({ caller, params, query: { page, range } }) =>
      submissionListJson(store.listSubmissions(caller.userId, params.formId, page, range), page),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/submissions/bulk',
    operationId: 'deleteSubmissions',
    tags,
    summary: 'Delete multiple submissions',
    description:
      'Permanently deletes 1 to 1,000 submissions: all of them or none. ' +
      'Send the identifiers either in the body or in the query; a request with both or neither gets 400.',
    query: idsQuery,
    body: idsBody,
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params, query, body }) {
      await store.deleteSubmissions(caller.userId, params.formId, parseIdsToDelete(query, body))
      return success
    },
  }),

  readOperation({
    method: 'GET',
    path: '/forms/:formId/submissions/:submissionId',
    operationId: 'getSubmission',
    tags,
    summary: 'Get a submission',
    description: 'One submission with all its data.',
    answer: SubmissionSchema,
    errors: readErrors,
    handle: ({ caller, params }) =>
      submissionJson(store.findSubmission(caller.userId, params.formId, params.submissionId)),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/submissions/:submissionId',
    operationId: 'deleteSubmission',
    tags,
    summary: 'Delete a submission',
    description: 'Permanently deletes one submission.',
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params }) {
      await store.deleteSubmissions(caller.userId, params.formId, [params.submissionId])
      return success
    },
  }),
]

import type { Stores } from '../stores/stores.ts'
import { heldLists, untilThen } from '../submissions/lists.ts'
import { idsBody, idsQuery, parseIdsToDelete } from './ids-to-delete.ts'
import { linkToFirst } from './links.ts'
import { readOperation, writeOperation } from './operation.ts'
import { bulkDeleteErrors, commonErrors, SuccessSchema } from './response-schemas.ts'
import {
  SpamListSchema,
  SpamSchema,
  SubmissionListSchema,
  SubmissionSchema,
  spamQuery,
  submissionJson,
  submissionListJson,
  submissionsQuery,
} from './submission-json.ts'

/** Names and texts of the operations on the two lists of a form. */
const lists = {
  inbox: {
    name: 'submissions',
    tag: 'Submissions',
    answers: { list: SubmissionListSchema, one: SubmissionSchema },
    query: submissionsQuery,
    list: {
      operationId: 'listSubmissions',
      summary: 'List submissions for a form',
      description:
        'Newest first. `startDate` and `endDate` limit the list to a date range, and `pagination.total` counts only the ' +
        'submissions in it.',
      links: {
        ...linkToFirst('submissions', 'getSubmission', 'Gets the first submission of the page.'),
        ...linkToFirst('submissions', 'deleteSubmission', 'Deletes the first submission of the page.'),
      },
    },
    get: {
      operationId: 'getSubmission',
      summary: 'Get a submission',
      description: 'One submission with all its data.',
    },
    delete: {
      operationId: 'deleteSubmission',
      summary: 'Delete a submission',
      description: 'Permanently deletes one submission.',
    },
    deleteInBulk: {
      operationId: 'deleteSubmissions',
      summary: 'Delete multiple submissions',
      description:
        'Permanently deletes 1 to 1,000 submissions: all of them or none. ' +
        'Send the identifiers either in the body or in the query; a request with both or neither gets 400.',
    },
  },
  spam: {
    name: 'spam',
    tag: 'Spam',
    answers: { list: SpamListSchema, one: SpamSchema },
    query: spamQuery,
    list: {
      operationId: 'listSpam',
      summary: 'List the spam of a form',
      description:
        'The submissions in quarantine, newest first, with the reason. Spam is in no list of submissions and does not count, ' +
        'and no notifications were sent. `startDate` and `endDate` limit the list to a date range. ' +
        `What waits ${untilThen} is listed only with ${heldLists.map((name) => `\`reason=${name}\``).join(' or ')}.`,
      links: {
        ...linkToFirst('spam', 'getSpam', 'Gets the first spam of the page.'),
        ...linkToFirst('spam', 'acceptSpam', 'Accepts the first spam of the page.'),
        ...linkToFirst('spam', 'deleteSpam', 'Deletes the first spam of the page.'),
      },
    },
    get: {
      operationId: 'getSpam',
      summary: 'Get spam',
      description: 'One submission in quarantine, with all its data and the reason.',
    },
    delete: {
      operationId: 'deleteSpam',
      summary: 'Delete spam',
      description: 'Permanently deletes one submission in quarantine.',
    },
    deleteInBulk: {
      operationId: 'deleteSpamInBulk',
      summary: 'Delete spam in bulk',
      description:
        'Permanently deletes the spam with these 1 to 1,000 identifiers: all of it or none. ' +
        'Send the identifiers either in the body or in the query; a request with both or neither gets 400.',
    },
  },
} as const

/** The operations that both lists of a form have. */
const listOperations = ({ access, submissions: store }: Stores, list: keyof typeof lists) => {
  const { name, tag, answers, query, ...described } = lists[list]
  const tags = [tag]
  return [
    readOperation({
      method: 'GET',
      path: `/forms/:formId/${name}`,
      role: 'reader',
      ...described.list,
      tags,
      query,
      answer: answers.list,
      errors: commonErrors,
      handle: ({ caller, params, query: { page, range, name: from = list } }) =>
        submissionListJson(
          store.listSubmissions(access.findFormTo('read', caller.userId, params.formId), from, page, range),
          page,
          name,
        ),
    }),

    writeOperation({
      method: 'DELETE',
      path: `/forms/:formId/${name}/bulk`,
      role: 'editor',
      ...described.deleteInBulk,
      tags,
      query: idsQuery,
      body: idsBody,
      answer: SuccessSchema,
      errors: bulkDeleteErrors,
      handle: ({ caller, params, query, body }) =>
        store.deleteSubmissions(caller.userId, params.formId, list, parseIdsToDelete(query, body)),
    }),

    readOperation({
      method: 'GET',
      path: `/forms/:formId/${name}/:submissionId`,
      role: 'reader',
      ...described.get,
      tags,
      answer: answers.one,
      errors: commonErrors,
      handle: ({ caller, params }) =>
        submissionJson(
          store.findSubmission(access.findFormTo('read', caller.userId, params.formId), list, params.submissionId),
        ),
    }),

    writeOperation({
      method: 'DELETE',
      path: `/forms/:formId/${name}/:submissionId`,
      role: 'editor',
      ...described.delete,
      tags,
      answer: SuccessSchema,
      errors: commonErrors,
      handle: ({ caller, params }) =>
        store.deleteSubmissions(caller.userId, params.formId, list, [params.submissionId]),
    }),
  ]
}

export const submissionOperations = (stores: Stores) => [
  ...listOperations(stores, 'inbox'),
  ...listOperations(stores, 'spam'),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/spam/all',
    role: 'editor',
    operationId: 'deleteAllSpam',
    tags: ['Spam'],
    summary: 'Delete all spam of a form',
    description: 'Permanently deletes whatever was held back until now. It also succeeds if there was nothing.',
    answer: SuccessSchema,
    errors: commonErrors,
    async handle({ caller, params }) {
      await stores.submissions.deleteAllSpam(caller.userId, params.formId)
    },
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/spam/:submissionId/accept',
    role: 'editor',
    operationId: 'acceptSpam',
    tags: ['Spam'],
    summary: 'Accept spam as a submission',
    description:
      'Moves it into the list of submissions, with the same identifier and `createdAt`. It counts from then on. Receivers ' +
      'that did not get it before get it now.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => stores.submissions.acceptSpam(caller.userId, params.formId, params.submissionId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/submissions/:submissionId/spam',
    role: 'editor',
    operationId: 'markSpam',
    tags: ['Spam'],
    summary: 'Mark a submission as spam',
    description:
      'Moves it into quarantine, with the same identifier and `createdAt` and the reason `marked`. Its pending deliveries ' +
      'are dropped.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => stores.submissions.markSpam(caller.userId, params.formId, params.submissionId),
  }),
]

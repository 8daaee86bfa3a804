const tags = ['Submissions']

/** What the OpenAPI document says of each operation. */
export const submissionDetails = {
  listSubmissions: {
    tags,
    operationId: 'listSubmissions',
    summary: 'List submissions for a form',
    description:
      'Newest first. `startDate` and `endDate` narrow the list; `pagination.total` counts what is left. ' +
      'A `startDate` after `endDate` is 400.',
  },
  deleteSubmissions: {
    tags,
    operationId: 'deleteSubmissions',
    summary: 'Delete multiple submissions',
    description:
      'Permanently deletes 1 to 1,000 submissions: all of them, or none. ' +
      'The identifiers are in the body or in the query: both at once, or neither, is 400.',
  },
  getSubmission: {
    tags,
    operationId: 'getSubmission',
    summary: 'Get a submission',
    description: 'One submission with everything that was sent.',
  },
  deleteSubmission: {
    tags,
    operationId: 'deleteSubmission',
    summary: 'Delete a submission',
    description: 'Permanently deletes one submission.',
  },
}

// What can be done next with the identifiers in an answer (OpenAPI 3.0.3, Link Object), by expressions that find them.

/** To the operations on one form. @param formId such as `$response.body#/id`; @param which names the form, in a sentence */
export const linksToForm = (formId: string, which: string) => ({
  getForm: toForm('getForm', formId, `Gets ${which}.`),
  updateForm: toForm('updateForm', formId, `Changes ${which}.`),
  deleteForm: toForm('deleteForm', formId, `Deletes ${which}.`),
  duplicateForm: toForm('duplicateForm', formId, `Makes a form like ${which}.`),
  listSubmissions: toForm('listSubmissions', formId, `Lists the submissions of ${which}.`),
})

const toForm = (operationId: string, formId: string, description: string) => ({
  operationId,
  parameters: { formId },
  description,
})

/** To a bulk operation whose body is the answer. */
export const linkWithAnswer = (operationId: string, description: string) => ({
  [operationId]: { operationId, requestBody: '$response.body', description },
})

/** To an operation on the first submission of a page. */
export const linkToFirstSubmission = (operationId: string, description: string) => ({
  [operationId]: {
    operationId,
    parameters: { formId: '$request.path.formId', submissionId: '$response.body#/submissions/0/id' },
    description,
  },
})

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

/** What can be done next with the identifiers that an operation answers with, by its name (OpenAPI 3.0.3, Link Object). */
export const linksOf = (operationId: string): Json => links[operationId]

const toForm = (operationId: string, formId: string, description: string) => ({
  operationId,
  parameters: { formId },
  description,
})

/** @param formId expression for the identifier in the answer */
const toFormAt = (formId: string, which: string): Json => ({
  getForm: toForm('getForm', formId, `Gets ${which}.`),
  updateForm: toForm('updateForm', formId, `Changes ${which}.`),
  deleteForm: toForm('deleteForm', formId, `Deletes ${which}.`),
  duplicateForm: toForm('duplicateForm', formId, `Makes a form like ${which}.`),
  listSubmissions: toForm('listSubmissions', formId, `Lists the submissions of ${which}.`),
})

const toSubmissionAt = (operationId: string, description: string) => ({
  operationId,
  parameters: { formId: '$request.path.formId', submissionId: '$response.body#/submissions/0/id' },
  description,
})

const links: Record<string, Json> = {
  createForm: toFormAt('$response.body#/id', 'the new form'),
  duplicateForm: toFormAt('$response.body#/id', 'the new form'),
  createForms: {
    ...toFormAt('$response.body#/ids/0', 'the first new form'),
    deleteForms: {
      operationId: 'deleteForms',
      requestBody: '$response.body',
      description: 'Deletes the new forms: the answer is the body that says which.',
    },
  },
  listForms: {
    ...toFormAt('$response.body#/forms/0/id', 'the first form of the page'),
    updateForms: {
      operationId: 'updateForms',
      requestBody: '$response.body',
      description: 'Changes the forms of the page: the answer, with what is to be new, is the body.',
    },
  },
  listSubmissions: {
    getSubmission: toSubmissionAt('getSubmission', 'Gets the first submission of the page.'),
    deleteSubmission: toSubmissionAt('deleteSubmission', 'Deletes the first submission of the page.'),
  },
}

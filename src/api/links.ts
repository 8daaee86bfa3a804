// Link Objects (OpenAPI 3.0.3): operations that take an identifier from a response, and where in the response it is.

/**
 * Links to the operations on one form.
 *
 * @param formId such as `$response.body#/id`
 * @param which what the descriptions call the form, such as `the new form`
 */
export const linksToForm = (formId: string, which: string) => ({
  getForm: toForm('getForm', formId, `Gets ${which}.`),
  updateForm: toForm('updateForm', formId, `Changes ${which}.`),
  deleteForm: toForm('deleteForm', formId, `Deletes ${which}.`),
  duplicateForm: toForm('duplicateForm', formId, `Duplicates ${which}.`),
  listSubmissions: toForm('listSubmissions', formId, `Lists the submissions of ${which}.`),
})

const toForm = (operationId: string, formId: string, description: string) => ({
  operationId,
  parameters: { formId },
  description,
})

/** A link to a bulk operation that takes the response as its body. */
export const linkWithAnswer = (operationId: string, description: string) => ({
  [operationId]: { operationId, requestBody: '$response.body', description },
})

/** A link to an operation on the first submission of a page. @param list its member of the response */
export const linkToFirst = (list: 'submissions' | 'spam', operationId: string, description: string) => ({
  [operationId]: {
    operationId,
    parameters: { formId: '$request.path.formId', submissionId: `$response.body#/${list}/0/id` },
    description,
  },
})

/** A link to an operation on the first submission of a part of the inbox, which may be of any form. */
export const linkToFirstOfInbox = (operationId: string, description: string) => ({
  [operationId]: {
    operationId,
    parameters: {
      formId: '$response.body#/submissions/0/formId',
      submissionId: '$response.body#/submissions/0/id',
    },
    description,
  },
})

/**
 * Links to the operations on one webhook of the form in the request.
 *
 * @param webhookId such as `$response.body#/id`
 * @param which what the descriptions call the webhook, such as `the new webhook`
 */
export const linksToWebhook = (webhookId: string, which: string) => {
  const parameters = { formId: '$request.path.formId', webhookId }
  return {
    getWebhook: { operationId: 'getWebhook', parameters, description: `Gets ${which}.` },
    updateWebhook: { operationId: 'updateWebhook', parameters, description: `Changes ${which}.` },
    deleteWebhook: { operationId: 'deleteWebhook', parameters, description: `Deletes ${which}.` },
    rotateWebhook: { operationId: 'rotateWebhook', parameters, description: `Gives ${which} a new secret.` },
  }
}

/** A link to an operation on the first delivery of a page. */
export const linkToFirstDelivery = (operationId: string, description: string) => ({
  [operationId]: {
    operationId,
    parameters: { formId: '$request.path.formId', deliveryId: '$response.body#/deliveries/0/id' },
    description,
  },
})

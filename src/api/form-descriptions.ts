const tags = ['Forms']

/** What the OpenAPI document says of each operation. */
export const formDetails = {
  listForms: {
    tags,
    operationId: 'listForms',
    summary: 'List all forms',
    description: 'The forms of the user whom the key belongs to, newest first.',
  },
  createForm: {
    tags,
    operationId: 'createForm',
    summary: 'Create a form',
    description:
      'Answers with the identifier under which the form takes submissions from now on: ' +
      '`POST /s/{formId}` of this server, which needs no key.',
  },
  createForms: {
    tags,
    operationId: 'createForms',
    summary: 'Create multiple forms',
    description: 'All of 1 to 1,000 forms, or none. The identifiers stand in the order of the request.',
  },
  updateForms: {
    tags,
    operationId: 'updateForms',
    summary: 'Update multiple forms',
    description:
      'All of 1 to 1,000 forms, or none. A field that is absent keeps its value, null clears it. ' +
      'A form must not be named twice.',
  },
  deleteForms: {
    tags,
    operationId: 'deleteForms',
    summary: 'Delete multiple forms',
    description:
      'Permanently deletes 1 to 1,000 forms and all their submissions: all of them, or none. ' +
      'The identifiers are in the body or in the query: both at once, or neither, is 400.',
  },
  getForm: {
    tags,
    operationId: 'getForm',
    summary: 'Get a form',
    description: 'One form, with the number of its submissions and the names of their fields.',
  },
  updateForm: {
    tags,
    operationId: 'updateForm',
    summary: 'Update a form',
    description: 'A field that is absent keeps its value, null clears `description` or `returnUrl`.',
  },
  deleteForm: {
    tags,
    operationId: 'deleteForm',
    summary: 'Delete a form',
    description: 'Permanently deletes the form and all its submissions.',
  },
  duplicateForm: {
    tags,
    operationId: 'duplicateForm',
    summary: 'Duplicate a form',
    description: 'A new form with the same title, description, return URL and keys, and without submissions.',
  },
}

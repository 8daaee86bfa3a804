import { refuseOtherForms } from '../accounts/keys/store.ts'
import { invalid } from '../base/errors.ts'
import type { Stores } from '../stores/stores.ts'
import {
  FormChangesSchema,
  FormInputSchema,
  FormListSchema,
  FormSchema,
  FormsChangesSchema,
  FormsInputSchema,
  FormsQuerySchema,
  formJson,
  formListJson,
} from './form-json.ts'
import { idsBody, idsQuery, parseIdsToDelete } from './ids-to-delete.ts'
import { bulkBody, jsonBody } from './json-body.ts'
import { linksToForm, linkWithAnswer } from './links.ts'
import { readOperation, writeOperation } from './operation.ts'
import { paginationJson, toPage } from './pagination.ts'
import { bulkDeleteErrors, commonErrors, createErrors, IdSchema, IdsSchema, SuccessSchema } from './response-schemas.ts'
import { contractQuery } from './schema-check.ts'

const tags = ['Forms'] as const

export const formOperations = ({ access, readFieldNames, formLists, forms: store }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms',
    role: 'user',
    operationId: 'listForms',
    tags,
    summary: 'List all forms',
    description: 'The forms of the user who owns the key, newest first.',
    query: contractQuery(FormsQuerySchema, toPage),
    forms: 'several',
    answer: FormListSchema,
    errors: commonErrors,
    links: {
      ...linksToForm('$response.body#/forms/0/id', 'the first form of the page'),
      ...linkWithAnswer('updateForms', 'Changes the forms of the page: the body is this response with the new values.'),
    },
    handle({ caller, query }) {
      const { total, forms } = formLists.listForms(caller.userId, query, caller.forms)
      return formListJson(forms, `],"pagination":${paginationJson(query, total)}}`, readFieldNames)
    },
  }),

  writeOperation({
    method: 'POST',
    path: '/forms',
    role: 'user',
    operationId: 'createForm',
    tags,
    summary: 'Create a form',
    description:
      'Returns the identifier of the new form. Submissions go to `POST /s/{formId}` on this server, which needs no key.',
    body: jsonBody(FormInputSchema),
    isIdempotent: true,
    answer: IdSchema,
    errors: createErrors,
    links: linksToForm('$response.body#/id', 'the new form'),
    handle: ({ caller, body, request }) => store.createForm(caller.userId, body, request),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/bulk',
    role: 'user',
    operationId: 'createForms',
    tags,
    summary: 'Create multiple forms',
    description:
      'Creates 1 to 1,000 forms: all of them or none. Returns their identifiers in the order of the request.',
    body: bulkBody(FormsInputSchema),
    isIdempotent: true,
    answer: IdsSchema,
    errors: createErrors,
    links: {
      ...linksToForm('$response.body#/ids/0', 'the first new form'),
      ...linkWithAnswer('deleteForms', 'Deletes the new forms: the body is this response.'),
    },
    handle: ({ caller, body, request }) => store.createForms(caller.userId, body.forms, request),
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/bulk',
    role: 'manager',
    operationId: 'updateForms',
    tags,
    summary: 'Update multiple forms',
    description:
      'Changes 1 to 1,000 forms: all of them or none. A field that is absent keeps its value; null clears ' +
      '`description` or `returnUrl`. No two items may have the same `id`.',
    body: bulkBody(FormsChangesSchema),
    forms: 'several',
    answer: SuccessSchema,
    errors: commonErrors,
    async handle({ caller, body }) {
      const ids = body.forms.map((form) => form.id)
      refuseOtherForms(caller, ids)
      refuseRepeated(ids)
      await store.updateForms(caller.userId, body.forms)
    },
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/bulk',
    role: 'owner',
    operationId: 'deleteForms',
    tags,
    summary: 'Delete multiple forms',
    description:
      'Permanently deletes 1 to 1,000 forms and all their submissions: all of the forms or none. ' +
      'Send the identifiers either in the body or in the query; a request with both or neither gets 400.',
    query: idsQuery,
    body: idsBody,
    forms: 'several',
    answer: SuccessSchema,
    errors: bulkDeleteErrors,
    handle({ caller, query, body }) {
      const ids = parseIdsToDelete(query, body)
      refuseOtherForms(caller, ids)
      return store.deleteForms(caller.userId, ids)
    },
  }),

  readOperation({
    method: 'GET',
    path: '/forms/:formId',
    role: 'reader',
    operationId: 'getForm',
    tags,
    summary: 'Get a form',
    description: 'One form, with the number of its submissions and the names of their fields.',
    answer: FormSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => formJson(access.findFormTo('read', caller.userId, params.formId), readFieldNames),
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/:formId',
    role: 'manager',
    operationId: 'updateForm',
    tags,
    summary: 'Update a form',
    description: 'A field that is absent keeps its value; null clears `description` or `returnUrl`.',
    body: jsonBody(FormChangesSchema),
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params, body }) => store.updateForm(caller.userId, params.formId, body),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId',
    role: 'owner',
    operationId: 'deleteForm',
    tags,
    summary: 'Delete a form',
    description: 'Permanently deletes the form and all its submissions.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => store.deleteForm(caller.userId, params.formId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/duplicate',
    role: 'owner',
    forms: 'new',
    operationId: 'duplicateForm',
    tags,
    summary: 'Duplicate a form',
    description:
      'Creates a form with the same title, description, return URL, keys, settings and webhooks, but without ' +
      'submissions. Its webhooks have new secrets, which are not shown: rotate those whose receivers verify signatures.',
    isIdempotent: true,
    answer: IdSchema,
    errors: commonErrors,
    links: linksToForm('$response.body#/id', 'the new form'),
    handle: ({ caller, params, request }) => store.duplicateForm(caller.userId, params.formId, request),
  }),
]

const refuseRepeated = (ids: readonly string[]): void => {
  const seen = new Set<string>()
  ids.forEach((id, position) => {
    if (seen.has(id))
      throw invalid({
        field: `forms.${position}.id`,
        message: 'must not repeat an earlier id',
        path: `/forms/${position}/id`,
      })
    seen.add(id)
  })
}

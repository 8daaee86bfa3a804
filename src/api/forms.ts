import { Elysia } from 'elysia'
import { invalid } from '../errors.ts'
import type { FormStore } from '../forms/store.ts'
import { jsonText } from '../http/json-text.ts'
import { type AnswerJson, answerModels, createErrors, readErrors, success, writeErrors } from './answers.ts'
import { bulkBody, optionalBulkBody } from './bulk-body.ts'
import { parseSelection, SelectionQuery, selectionBody } from './bulk-selection.ts'
import { formDetails as details } from './form-descriptions.ts'
import { formJson, formListJson } from './form-json.ts'
import { Form, FormChanges, FormList, FormsChanges, ListQuery, NewForm, NewForms } from './form-schemas.ts'
import type { ApiGuard } from './guard.ts'
import { ignoredBody, jsonBody } from './json-body.ts'
import { toPage } from './pagination.ts'
import { pathId } from './path-id.ts'

export const formRoutes = (guard: ApiGuard, store: FormStore, answerJson: AnswerJson) =>
  new Elysia({ prefix: '/forms' })
    .use(guard)
    .model(answerModels)
    .model({ Form, FormList, NewForm, NewForms, FormChanges, FormsChanges })
    .get(
      '/',
      ({ caller, query, set }) => {
        const page = toPage(query)
        return answerJson(set, formListJson(store.listForms(caller.userId, page), page, store.readFieldNames))
      },
      { query: ListQuery, response: { 200: 'FormList', ...readErrors }, detail: details.listForms },
    )
    .post('/', async ({ caller, body }) => ({ id: await store.createForm(caller.userId, body) }), {
      parse: jsonBody,
      body: 'NewForm',
      response: { 200: 'Id', ...createErrors },
      detail: details.createForm,
    })
    .post('/bulk', async ({ caller, body }) => ({ ids: await store.createForms(caller.userId, body.forms) }), {
      ...bulkBody,
      body: 'NewForms',
      response: { 200: 'Ids', ...createErrors },
      detail: details.createForms,
    })
    .patch(
      '/bulk',
      async ({ caller, body }) => {
        refuseRepeated(body.forms.map((form) => form.id))
        await store.updateForms(caller.userId, body.forms)
        return success
      },
      {
        ...bulkBody,
        body: 'FormsChanges',
        response: { 200: 'Success', ...writeErrors },
        detail: details.updateForms,
      },
    )
    .delete(
      '/bulk',
      async ({ caller, request, body }) => {
        await store.deleteForms(caller.userId, parseSelection(request, body))
        return success
      },
      {
        ...optionalBulkBody,
        query: SelectionQuery,
        response: { 200: 'Success', ...writeErrors },
        detail: { ...details.deleteForms, requestBody: selectionBody },
      },
    )
    .get(
      '/:formId',
      ({ caller, params, set }) =>
        jsonText(set, formJson(store.findForm(caller.userId, pathId(params.formId)), store.readFieldNames)),
      { response: { 200: 'Form', ...readErrors }, detail: details.getForm },
    )
    .patch(
      '/:formId',
      async ({ caller, params, body }) => {
        await store.updateForm(caller.userId, pathId(params.formId), body)
        return success
      },
      {
        parse: jsonBody,
        body: 'FormChanges',
        response: { 200: 'Success', ...writeErrors },
        detail: details.updateForm,
      },
    )
    .delete(
      '/:formId',
      async ({ caller, params }) => {
        await store.deleteForm(caller.userId, pathId(params.formId))
        return success
      },
      { parse: ignoredBody, response: { 200: 'Success', ...writeErrors }, detail: details.deleteForm },
    )
    .post(
      '/:formId/duplicate',
      async ({ caller, params }) => ({ id: await store.duplicateForm(caller.userId, pathId(params.formId)) }),
      { parse: ignoredBody, response: { 200: 'Id', ...writeErrors }, detail: details.duplicateForm },
    )

const refuseRepeated = (ids: readonly string[]): void => {
  const seen = new Set<string>()
  ids.forEach((id, position) => {
    if (seen.has(id))
      throw invalid({
        field: `forms.${position}.id`,
        message: 'must not name a form a second time',
        path: `/forms/${position}/id`,
      })
    seen.add(id)
  })
}

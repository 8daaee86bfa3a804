import type { FormStore } from '../forms/store.ts'
import { readErrors, SuccessSchema, success, writeErrors } from './answer-schemas.ts'
import { jsonBody } from './json-body.ts'
import { readOperation, writeOperation } from './operation.ts'
import { FormSettingsSchema, SettingsChangesSchema } from './settings-schemas.ts'

const tags = ['Settings']

export const formSettingsOperations = (store: FormStore) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/settings',
    operationId: 'getFormSettings',
    tags,
    summary: 'Get the settings of a form',
    description: 'Returns every setting. A setting that was never changed has its default.',
    answer: FormSettingsSchema,
    errors: readErrors,
    handle: ({ caller, params }) => JSON.stringify(store.findFormSettings(caller.userId, params.formId)),
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/:formId/settings',
    operationId: 'updateFormSettings',
    tags,
    summary: 'Update the settings of a form',
    description: 'A setting that is absent keeps its value. The `updatedAt` of the form does not change.',
    body: jsonBody(SettingsChangesSchema),
    answer: SuccessSchema,
    errors: writeErrors,
    async handle({ caller, params, body }) {
      await store.updateFormSettings(caller.userId, params.formId, body)
      return success
    },
  }),
]

import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { settingOf } from '../forms/settings/declared.ts'
import {
  defaultSettings,
  parseSettings,
  type SentSetting,
  type SettingName,
  settingNames,
} from '../forms/settings/settings.ts'
import type { Stores } from '../stores/stores.ts'
import { jsonBody } from './json-body.ts'
import { NamedObject, schemaOf } from './kind-schema.ts'
import { readOperation, writeOperation } from './operation.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'

const tags = ['Settings'] as const

export const formSettingsOperations = ({ access, forms: store }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/settings',
    role: 'manager',
    operationId: 'getFormSettings',
    tags,
    summary: 'Get the settings of a form',
    description: 'Returns every setting. A setting that was never changed has its default.',
    answer: FormSettingsSchema,
    errors: commonErrors,
    handle: ({ caller, params }) =>
      JSON.stringify(parseSettings(access.findFormTo('configure', caller.userId, params.formId).settings)),
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/:formId/settings',
    role: 'manager',
    operationId: 'updateFormSettings',
    tags,
    summary: 'Update the settings of a form',
    description: 'A setting that is absent keeps its value. The `updatedAt` of the form does not change.',
    body: jsonBody(SettingsChangesSchema),
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params, body }) => store.updateFormSettings(caller.userId, params.formId, body),
  }),
]

type Schemas = { readonly [Name in SettingName]: TUnsafe<SentSetting<Name>> }

const schemasOf = (toSchema: (name: SettingName) => TSchema): Schemas =>
  Object.fromEntries(settingNames.map((name) => [name, toSchema(name)])) as unknown as Schemas

const schemaOfSetting = (name: SettingName, preset?: unknown): TSchema => {
  const { kind, description, example } = settingOf(name)
  return schemaOf(kind, { description, example, ...(preset !== undefined && { preset }) })
}

/** Without defaults: a generated client would send them, and reset what it does not name. */
const changes = schemasOf((name) => schemaOfSetting(name))

/** Every setting of a form. One with a name of its own is the same in the document with a default and without it. */
const fields = schemasOf((name) =>
  changes[name].name !== undefined ? changes[name] : schemaOfSetting(name, defaultSettings[name]),
)

const FormSettingsSchema = NamedObject('FormSettings', fields)

/** A setting that is absent keeps its value. Other fields are ignored. */
export const SettingsChangesSchema = Type.Partial(NamedObject('SettingsChanges', changes))

import { type TSchema, Type } from '@sinclair/typebox'
import { defaultSettings, type FormSettings, maxColumns } from '../forms/settings.ts'
import { FieldNames } from './schema-types.ts'

/** Every setting of a form. */
const fields = {
  open: Type.Boolean({
    preset: defaultSettings.open,
    description: 'Whether the form takes submissions. A closed form answers `POST /s/{formId}` with 403.',
    example: true,
    error: 'must be true or false',
  }),
  columns: FieldNames({
    maxItems: maxColumns,
    preset: defaultSettings.columns,
    description:
      'Names of the fields that the page with the list of submissions shows; null for the first fields of the form.',
    example: ['name', 'email'],
  }),
} satisfies Record<keyof FormSettings, TSchema>

export const FormSettingsSchema = Type.Object(fields)

/** A setting that is absent keeps its value. Other fields are ignored. */
export const SettingsChangesSchema = Type.Partial(Type.Object(fields), { additionalProperties: true })

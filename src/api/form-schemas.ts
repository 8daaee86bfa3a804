import { Type } from '@sinclair/typebox'
import { descriptionRule, returnUrlRule, titleRule } from '../forms/form-fields.ts'
import { listParameters } from './pagination.ts'
import { ignoringOthers } from './schema-types.ts'
import { NullableHttpUrl, NullableText, Text } from './text-types.ts'

const maxBulkItems = 1000

const unicode = 'NUL and unpaired surrogates are refused.'

const title = Text({
  ...titleRule,
  description: `Name of the form. Must not be only white space. ${unicode}`,
  example: 'Contact',
})
const description = Type.Optional(
  NullableText({
    ...descriptionRule,
    description: `What the form is for. ${unicode}`,
    example: 'The form on the start page',
  }),
)
const returnUrl = Type.Optional(
  NullableHttpUrl({
    ...returnUrlRule,
    description:
      'Where browsers are sent after a submission: an absolute http or https URL, valid by the WHATWG URL standard',
    example: 'https://example.com/thanks',
  }),
)
const id = Text({
  minLength: 1,
  maxLength: 64,
  description: 'Identifier of a form',
  example: '01kahp5x2r00v7m3k9qd4tznwe8c',
})

export const NewFormSchema = Type.Object({ title, description, returnUrl }, ignoringOthers)

/** A field that is absent keeps its value; null clears it. */
export const FormChangesSchema = Type.Object({ title: Type.Optional(title), description, returnUrl }, ignoringOthers)

const bulk = { minItems: 1, maxItems: maxBulkItems, error: `must be an array of 1 to ${maxBulkItems} items` }

export const FormsQuerySchema = Type.Object(listParameters, ignoringOthers)

export const NewFormsSchema = Type.Object({ forms: Type.Array(NewFormSchema, bulk) }, ignoringOthers)

const bulkOfDifferent = {
  ...bulk,
  description: 'The forms to change, each with its changes. No two may have the same `id`.',
  documented: { uniqueItems: true },
}

const ChangesOfOne = Type.Object({ id, title: Type.Optional(title), description, returnUrl }, ignoringOthers)

export const FormsChangesSchema = Type.Object({ forms: Type.Array(ChangesOfOne, bulkOfDifferent) }, ignoringOthers)

export const FormSchema = Type.Object({
  id: Type.String({ description: 'Form identifier', example: '01kahp5x2r00v7m3k9qd4tznwe8c' }),
  title: Type.String({ example: 'Contact' }),
  description: Type.Unsafe<string | null>({ type: 'string', nullable: true, example: 'The form on the start page' }),
  returnUrl: Type.Unsafe<string | null>({ type: 'string', nullable: true, example: 'https://example.com/thanks' }),
  keys: Type.Array(Type.String(), {
    description: 'Names of the fields seen in submissions, in the order in which they were first seen; at most 500',
    example: ['name', 'email', 'message'],
  }),
  submissionCount: Type.Integer({
    description: 'Number of submissions that the form has now',
    minimum: 0,
    example: 12,
  }),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
  updatedAt: Type.Unsafe<string | null>({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the last update; null until the first one',
    example: null,
  }),
})

export const FormListSchema = Type.Object({ forms: Type.Array(Type.Ref('Form')), pagination: Type.Ref('Pagination') })

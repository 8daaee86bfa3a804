import { Type } from '@sinclair/typebox'
import { createdAt } from '../base/id.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import type { Form } from '../forms/form.ts'
import type { ListedForm } from '../forms/lists/own-forms.ts'
import { ownFields, type Setting } from '../forms/settings/declared.ts'
import type { JsonPart } from '../http/streamed.ts'
import { NamedObject, schemaOf, Text } from './kind-schema.ts'
import { listParameters, PaginationSchema } from './pagination.ts'

const maxBulkItems = 1000

const declared = <T>({ kind, description, example }: Setting<T>) => schemaOf(kind, { description, example })
const title = declared(ownFields.title)
const description = Type.Optional(declared(ownFields.description))
const returnUrl = Type.Optional(declared(ownFields.returnUrl))
const id = Text({
  minLength: 1,
  maxLength: 64,
  description: 'Identifier of a form',
  example: '01kahp5x2r00v7m3k9qd4tznwe8c',
})

export const FormInputSchema = NamedObject('FormInput', { title, description, returnUrl })

/** A field that is absent keeps its value; null clears it. */
export const FormChangesSchema = NamedObject('FormChanges', { title: Type.Optional(title), description, returnUrl })

const bulk = { minItems: 1, maxItems: maxBulkItems, error: `must be an array of 1 to ${maxBulkItems} items` }

export const FormsQuerySchema = Type.Object(listParameters)

export const FormsInputSchema = NamedObject('FormsInput', { forms: Type.Array(FormInputSchema, bulk) })

const bulkOfDifferent = {
  ...bulk,
  description: 'The forms to change, each with its changes. No two may have the same `id`.',
  documented: { uniqueItems: true },
}

const FormUpdateSchema = NamedObject('FormUpdate', { id, title: Type.Optional(title), description, returnUrl })

export const FormsChangesSchema = NamedObject('FormsChanges', { forms: Type.Array(FormUpdateSchema, bulkOfDifferent) })

export const FormSchema = NamedObject('Form', {
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

export const FormListSchema = NamedObject('FormList', { forms: Type.Array(FormSchema), pagination: PaginationSchema })

// The texts of the forms that the reader remembers, except those with many names: a thousand of them would take 64 MB.
const texts = new WeakMap<Form, string>()

/** JSON text of a Form. */
export const formJson = (form: Form, readFieldNames: ReadFieldNames): string => {
  if (hasLongNames(form)) return toJson(form, readFieldNames(form) ?? '[]')
  const known = texts.get(form)
  if (known !== undefined) return known
  const text = toJson(form, form.fieldNames)
  texts.set(form, text)
  return text
}

/**
 * JSON text of a page: whole, or in parts if a form has many field names.
 *
 * @param end what follows the last form
 * @param more members of a form besides those of every one, with a comma before each
 */
export const formListJson = <F extends ListedForm>(
  forms: readonly F[],
  end: string,
  readFieldNames: ReadFieldNames,
  more: (form: F) => string = () => '',
): string | Generator<JsonPart, void> => {
  if (forms.some(hasLongNames)) return longList(forms, end, readFieldNames, more)
  const items = forms.map((form) => toJson(form, form.fieldNames, more(form))).join()
  return `{"forms":[${items}${end}`
}

/** Leaves out a form that is deleted before its turn. */
function* longList<F extends ListedForm>(
  forms: readonly F[],
  end: string,
  readFieldNames: ReadFieldNames,
  more: (form: F) => string,
): Generator<JsonPart, void> {
  yield '{"forms":['
  let separator = ''
  for (const form of forms) {
    const names = readFieldNames(form)
    if (names === undefined) continue
    yield separator + toJson(form, names, more(form))
    separator = ','
  }
  yield end
}

const hasLongNames = ({ fieldNames }: ListedForm): boolean => fieldNames === ''

const toJson = (form: ListedForm, fieldNames: string, more = ''): string =>
  `{"id":"${form.id}","title":${JSON.stringify(form.title)},"description":${JSON.stringify(form.description)},` +
  `"returnUrl":${JSON.stringify(form.returnUrl)},"keys":${fieldNames},` +
  `"submissionCount":${form.submissionCount},"createdAt":"${createdAt(form.id)}",` +
  `"updatedAt":${form.updatedAt === null ? 'null' : `"${new Date(form.updatedAt).toISOString()}"`}${more}}`

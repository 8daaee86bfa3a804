import type { ListedForm } from '../forms/form-lists.ts'
import type { Form } from '../forms/ownership.ts'
import type { FormStore } from '../forms/store.ts'
import type { JsonPart } from '../http/streamed.ts'
import { createdAt } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import { paginationJson } from './pagination.ts'

type ReadFieldNames = FormStore['readFieldNames']

interface FoundForms {
  readonly total: number
  readonly forms: readonly ListedForm[]
}

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

/** JSON text of a page: whole, or in parts if a form has many field names. */
export const formListJson = (
  found: FoundForms,
  page: ListPage,
  readFieldNames: ReadFieldNames,
): string | Generator<JsonPart, void> => {
  if (found.forms.some(hasLongNames)) return longList(found, page, readFieldNames)
  const items = found.forms.map((form) => toJson(form, form.fieldNames)).join()
  return `{"forms":[${items}],"pagination":${paginationJson(page, found.total)}}`
}

/** Leaves out a form that is deleted before its turn. */
function* longList(
  { forms, total }: FoundForms,
  page: ListPage,
  readFieldNames: ReadFieldNames,
): Generator<JsonPart, void> {
  yield '{"forms":['
  let separator = ''
  for (const form of forms) {
    const names = readFieldNames(form)
    if (names === undefined) continue
    yield separator + toJson(form, names)
    separator = ','
  }
  yield `],"pagination":${paginationJson(page, total)}}`
}

const hasLongNames = ({ fieldNames }: ListedForm): boolean => fieldNames === ''

const toJson = (form: ListedForm, fieldNames: string): string =>
  `{"id":"${form.id}","title":${JSON.stringify(form.title)},"description":${JSON.stringify(form.description)},` +
  `"returnUrl":${JSON.stringify(form.returnUrl)},"keys":${fieldNames},` +
  `"submissionCount":${form.submissionCount},"createdAt":"${createdAt(form.id)}",` +
  `"updatedAt":${form.updatedAt === null ? 'null' : `"${new Date(form.updatedAt).toISOString()}"`}}`

import { invalid } from '../errors.ts'
import { isObject } from '../json.ts'
import { scanJson } from '../json-scan.ts'
import type { Field } from '../submissions/fields.ts'
import { jsonFields, members } from '../submissions/json-fields.ts'
import { itemsIn, textIn } from '../submissions/sent-fields.ts'
import { type Imported, toImported } from './imported.ts'

/**
 * A submission as JSON:
 *
 * - Formbox, and the API of Formbase: `{"id", "formId", "data": {…}, "createdAt"}`, in an archive with `"files"`
 * - the API of Netlify: `{"id", "number", …, "data": {…}, "created_at"}`
 * - the API of Formspree: `{"_date", …}`, with its own `_id` and `_status` among the fields
 * - what Formbase exports: the fields alone, and `isSpam` after them
 */
export const fromJson = (text: string): Imported => {
  const outer = outerMembers(text)
  const data = outer.find(({ name, json }) => name === 'data' && json.startsWith('{'))
  const id = textNamed(outer, 'id')
  const date = textNamed(outer, 'createdAt') || textNamed(outer, 'created_at')
  if (data && (id !== '' || date !== '')) {
    const files = itemsIn(outer.find(({ name }) => name === 'files')?.json ?? '[]').map(
      ({ json }) => textIn(json) ?? '',
    )
    return { ...toImported(id, date, jsonFields(data.json)), archived: { submission: id, files } }
  }
  return fromFields(jsonFields(text))
}

/** A submission whose identifier and date are among its fields, as in the CSV and JSON of the services. */
export const fromFields = (fields: readonly Field[]): Imported => {
  const isFormspree = fields.some(({ name }) => name === '_date')
  const dateName = isFormspree
    ? '_date'
    : fields.find(({ name }) => name === 'createdAt' || name === 'created_at')?.name
  const id = textNamed(fields, 'id')
  const imported = toImported(id, dateName === undefined ? '' : textNamed(fields, dateName), fields)
  const isOfService = ({ name, json }: Field, position: number): boolean =>
    name === dateName ||
    (isFormspree && (name === '_id' || name === '_status')) ||
    (name === 'id' && imported.id === id) ||
    // Formbase writes it after the fields. `true` stays, so that the owner sees it.
    (name === 'isSpam' && position === fields.length - 1 && /^"?false"?$/.test(json))
  const isSpam = isFormspree && textNamed(fields, '_status') === 'spam'
  return { ...imported, isSpam, fields: fields.filter((field, position) => !isOfService(field, position)) }
}

/** Without the limits of a submission, because the object around it is not part of it. */
const outerMembers = (text: string): Field[] => {
  try {
    if (isObject(JSON.parse(text))) return members(text, { ...scanJson(text, maxOuterMembers), badNumber: undefined })
  } catch {
    throw invalid({ message: 'must be valid JSON' })
  }
  throw invalid({ message: 'must be a JSON object' })
}

const maxOuterMembers = 100

/** Empty if it is not text. */
const textNamed = (fields: readonly Field[], name: string): string =>
  textIn(fields.find((field) => field.name === name)?.json ?? '') ?? ''

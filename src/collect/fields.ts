import { AppError, invalid } from '../errors.ts'
import { isControlField, subjectField } from '../forms/control-fields.ts'
import { maxBodyBytes } from '../http/read-body.ts'
import { filesIn } from '../submissions/sent-file.ts'
import { isCleanText } from '../text-rules.ts'
import { toSubject } from './control-fields.ts'

export const maxFields = 1000

/**
 * Bytes of a submission as JSON. Twice the largest body is enough for all usual text: as JSON, a quotation mark or line
 * break takes two characters, and a file a third more. Only control characters take more: six each.
 */
const maxStoredBytes = 2 * maxBodyBytes

/** One field as it arrived. */
export interface Field {
  readonly name: string
  /** The value as JSON. */
  readonly json: string
}

/** A submission, ready to be stored. */
interface Fields {
  /** JSON object. */
  readonly data: string
  /** In order of first appearance. */
  readonly names: readonly string[]
  readonly isSpam: boolean
  /** At most 200 characters, without line breaks. */
  readonly subject: string | undefined
}

/**
 * Joins the fields into one object. The values of a repeated name become an array, in order. The object is built as
 * text, so a number of 30 digits or a field called `__proto__` does not change. Control fields are left out.
 *
 * @param honeypot name of the trap field, which is left out too
 * @throws AppError `invalid` if there is no field, or more than 1,000; `too_large` if the object is too large
 */
export const toData = (fields: readonly Field[], honeypot: string): Fields => {
  if (fields.length === 0) throw invalid({ field: 'body', message: 'must hold at least one field' })
  if (fields.length > maxFields) throw invalid({ field: 'body', message: `must hold at most ${maxFields} fields` })
  const values = new Map<string, string[]>()
  let isSpam = false
  let subject: string | undefined
  for (const { name, json } of fields) {
    if (name === honeypot) isSpam ||= json !== '""' && json !== 'null' && json !== 'false'
    else if (name === subjectField) subject ??= toSubject(textIn(json) ?? '')
    else if (!isControlField(name, honeypot)) {
      const earlier = values.get(name)
      if (earlier) earlier.push(json)
      else values.set(name, [json])
    }
  }
  if (values.size === 0 && !isSpam) throw invalid({ field: 'body', message: 'must hold at least one field' })
  const members: string[] = []
  for (const [name, [first, ...more]] of values)
    members.push(`${JSON.stringify(name)}:${more.length === 0 ? first : `[${[first, ...more].join()}]`}`)
  const data = `{${members.join()}}`
  refuseTooLarge(data)
  return { data, names: [...values.keys()], isSpam, subject }
}

/** The first text among the values of a field; undefined if there is none. */
export const firstText = (fields: readonly Field[], wanted: string): string | undefined => {
  const field = fields.find(({ name, json }) => name === wanted && json.startsWith('"'))
  return field && textIn(field.json)
}

/**
 * For a form that takes no files. In JSON, what has the members of a file is one: the pages would offer it as such.
 *
 * @throws AppError `invalid` that names the field
 */
export const refuseFiles = (fields: readonly Field[]): void => {
  const found = fields.find(({ json }) => /^[{[]/.test(json) && filesIn(JSON.parse(json)).length > 0)
  if (found) throw invalid({ field: shown(found.name), message: 'must not be a file, because this form takes none' })
}

/** Undefined if the value is not text. */
const textIn = (json: string): string | undefined => (json.startsWith('"') ? JSON.parse(json) : undefined)

const refuseTooLarge = (data: string): void => {
  // A UTF-16 unit takes at most three bytes.
  if (3 * data.length <= maxStoredBytes || Buffer.byteLength(data) <= maxStoredBytes) return
  const message = `must be at most ${maxStoredBytes} bytes as JSON, is ${Buffer.byteLength(data)}`
  throw new AppError('too_large', 'Invalid input data', { issues: [{ field: 'body', message }] })
}

/**
 * @returns the text itself
 * @throws AppError `invalid` for NUL and lone surrogates. Nobody types them, and many databases and JSON parsers fail
 *   on them.
 */
export const checkText = (name: string, text: string): string => {
  if (isCleanText(text)) return text
  const message = text.includes('\0') ? 'must not contain NUL' : 'must be well-formed Unicode'
  throw invalid({ field: shown(name), message })
}

/** A name for an error message: shortened, and without characters that cannot be sent. */
export const shown = (name: string): string => {
  const text = name.toWellFormed().replaceAll('\0', '�') || 'body'
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text
}

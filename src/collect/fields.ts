import { AppError, invalid } from '../errors.ts'
import { maxBodyBytes } from '../http/read-body.ts'
import { isCleanText } from '../http/text.ts'

/** The honeypot: people do not see this field, so whoever fills it is none. */
export const honeypot = '_gotcha'

export const maxFields = 1000

/**
 * Bytes of JSON text that are stored of a submission. Twice the largest body: each quotation mark and line break in it
 * becomes two characters, a file a third more; only text that consists of control characters, six each, gets longer.
 */
const maxStoredBytes = 2 * maxBodyBytes

/** One field as it arrived. */
export interface Field {
  readonly name: string
  /** JSON text of its value. */
  readonly json: string
}

/** What is kept of a submission. */
interface Fields {
  /** JSON object. */
  readonly data: string
  /** In the order of their first appearance. */
  readonly names: readonly string[]
  readonly isSpam: boolean
}

/**
 * Makes one object of the fields: a name given more than once becomes an array, in order. It is put together as text, so
 * that a number of 30 digits or a field called `__proto__` comes out as it went in.
 *
 * @throws AppError `invalid` when there is no field, or more than 1,000; `too_large` when the object is.
 */
export const toData = (fields: readonly Field[]): Fields => {
  if (fields.length === 0) throw invalid({ field: 'body', message: 'must hold at least one field' })
  if (fields.length > maxFields) throw invalid({ field: 'body', message: `must hold at most ${maxFields} fields` })
  const values = new Map<string, string[]>()
  let isSpam = false
  for (const { name, json } of fields) {
    if (name === honeypot) {
      isSpam ||= json !== '""' && json !== 'null' && json !== 'false'
      continue
    }
    const earlier = values.get(name)
    if (earlier) earlier.push(json)
    else values.set(name, [json])
  }
  if (values.size === 0 && !isSpam) throw invalid({ field: 'body', message: 'must hold at least one field' })
  const members: string[] = []
  for (const [name, [first, ...more]] of values)
    members.push(`${JSON.stringify(name)}:${more.length === 0 ? first : `[${[first, ...more].join()}]`}`)
  const data = `{${members.join()}}`
  refuseTooLarge(data)
  return { data, names: [...values.keys()], isSpam }
}

const refuseTooLarge = (data: string): void => {
  // A UTF-16 unit takes three bytes at most.
  if (3 * data.length <= maxStoredBytes || Buffer.byteLength(data) <= maxStoredBytes) return
  const message = `must be at most ${maxStoredBytes} bytes as JSON, is ${Buffer.byteLength(data)}`
  throw new AppError('too_large', 'Invalid input data', { issues: [{ field: 'body', message }] })
}

/**
 * @returns the text itself
 * @throws AppError `invalid` for NUL and lone surrogates, which no person types and which many a database and JSON reader
 *   that the submission is passed on to would choke on.
 */
export const checkText = (name: string, text: string): string => {
  if (isCleanText(text)) return text
  const message = text.includes('\0') ? 'must not contain NUL' : 'must be well-formed Unicode'
  throw invalid({ field: shown(name), message })
}

/** A name in an error message: cut when it is long, and without what could not be sent. */
export const shown = (name: string): string => {
  const text = name.toWellFormed().replaceAll('\0', '�') || 'body'
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text
}

import { AppError, invalid } from '../base/errors.ts'
import { atMost } from '../base/short-text.ts'
import { isCleanText } from '../base/text-rules.ts'
import {
  challengeField,
  idempotencyField,
  isControlField,
  languageField,
  nextField,
  subjectField,
} from '../forms/control-fields.ts'
import type { WrongFile } from '../forms/fields/field-problem.ts'
import type { FormSettings } from '../forms/settings/settings.ts'
import { firstLanguage } from '../languages/choose.ts'
import type { Language } from '../languages/languages.ts'
import { because } from '../languages/texts.ts'
import { filesIn } from './files/sent-file.ts'
import { textIn } from './sent-fields.ts'

export const maxFields = 1000

/** Bytes of a submission as it is sent. */
export const maxSentBytes = 1024 * 1024

/**
 * Bytes of a submission as JSON. Twice the largest body is enough for all usual text: as JSON, a quotation mark or line
 * break takes two characters. Only control characters take more: six each.
 */
const maxStoredBytes = 2 * maxSentBytes

/** One field as it arrived. */
export interface Field {
  readonly name: string
  /** The value as JSON. */
  readonly json: string
  /** Replaces `json` where two requests are compared: the same file has another identifier in each. */
  readonly sameAs?: string
  /** Why a file was not kept, if the field of the form does not take it. Its value is then its name. */
  readonly refused?: RefusedFile
}

/** A file that a field of the form does not take. */
export interface RefusedFile {
  readonly rule: 'fileTypes' | 'maxFiles'
  /** The kinds that it may be of, or how many files there may be. */
  readonly bound: number | string
  /** The one whose kind does not fit. */
  readonly file?: WrongFile
}

/** A submission as it was sent. */
export interface SentSubmission {
  /** Its data, in order. A name may be there more than once. */
  readonly fields: readonly Field[]
  /** Fields that are no data, as they were sent. */
  readonly controlFields: readonly Field[]
  readonly control: ControlValues
  /** The first one of ours in the field `_language`, which is data as well. */
  readonly language: Language | undefined
}

/** The values of fields that are no data (see forms/control-fields.ts). Of several with one name, the first text counts. */
interface ControlValues {
  /** Whether someone filled in the field that people do not see. */
  readonly isTrapFilled: boolean
  readonly next: string | undefined
  /** One line of at most 200 characters; undefined if there is nothing in it. */
  readonly subject: string | undefined
  /** Empty if it is no text; undefined if it is absent, or empty, as a browser without the script sends it. */
  readonly idempotencyKey: string | undefined
  /** A solved challenge. */
  readonly challenge: string | undefined
}

/**
 * Separates data from control fields.
 *
 * @param honeypot name of the trap field
 * @throws AppError `invalid` if there is no field, or more than 1,000
 */
export const toSentSubmission = (sent: readonly Field[], honeypot: string): SentSubmission => {
  refuseTooMany(sent)
  const fields: Field[] = []
  const controlFields: Field[] = []
  let language: Language | undefined
  let isTrapFilled = false
  let next: string | undefined
  let subject: string | undefined
  let challenge: string | undefined
  let idempotencyKey: string | undefined
  for (const field of sent) {
    const { name, json } = field
    const isControl = isControlField(name, honeypot)
    const list = isControl ? controlFields : fields
    list.push(field)
    if (name === languageField) language ??= languageIn(json)
    if (!isControl) continue
    if (name === honeypot) isTrapFilled ||= json !== '""' && json !== 'null' && json !== 'false'
    else if (name === nextField) next ??= textIn(json)
    else if (name === subjectField) subject ??= toSubject(textIn(json) ?? '')
    else if (name === challengeField) challenge ??= textIn(json) || undefined
    else if (name === idempotencyField) idempotencyKey ??= json === '""' ? undefined : (textIn(json) ?? '')
  }
  if (fields.length === 0 && !isTrapFilled)
    throw invalid({ field: 'body', message: 'must hold at least one field', reason: because('empty') })
  return { fields, controlFields, language, control: { isTrapFilled, next, subject, idempotencyKey, challenge } }
}

/** The first one of ours in the fields `_language`. */
export const askedLanguage = (fields: readonly Pick<Field, 'name' | 'json'>[]): Language | undefined => {
  for (const { name, json } of fields) {
    const language = name === languageField ? languageIn(json) : undefined
    if (language) return language
  }
  return undefined
}

/** The first one of ours in a value of `_language`: a tag, or a list of some. */
const languageIn = (json: string): Language | undefined => {
  if (json.length > 1000) return undefined
  const value: unknown = JSON.parse(json)
  return firstLanguage((Array.isArray(value) ? value : [value]).filter((tag) => typeof tag === 'string'))
}

/** @throws AppError `invalid` */
export const refuseTooMany = ({ length }: readonly Field[]): void => {
  if (length > maxFields) throw invalid({ field: 'body', message: `must hold at most ${maxFields} fields` })
}

/** Data as it is stored. */
interface Data {
  /** JSON object. */
  readonly data: string
  /** In order of first appearance. */
  readonly names: readonly string[]
}

/**
 * Joins the fields into one object. The values of a repeated name become an array, in order. The object is built as
 * text, so a number of 30 digits or a field called `__proto__` does not change.
 *
 * @throws AppError `too_large` if the object is too large
 */
export const toData = (fields: readonly Field[]): Data => {
  const whole = hasRepeats(fields) ? joinRepeats(fields) : fields
  let members = ''
  for (const { name, json } of whole) members += `${members === '' ? '' : ','}${quote(name)}:${json}`
  const data = `{${members}}`
  refuseTooLarge(data)
  return { data, names: whole.map(({ name }) => name) }
}

/** Few submissions have any, and most have few fields, for which a set of their names takes longer. */
const hasRepeats = (fields: readonly Field[]): boolean => {
  if (fields.length > 20) return new Set(fields.map(({ name }) => name)).size < fields.length
  for (let i = 1; i < fields.length; i++)
    for (let j = 0; j < i; j++) if (fields[i]?.name === fields[j]?.name) return true
  return false
}

const joinRepeats = (fields: readonly Field[]): readonly Field[] =>
  [...Map.groupBy(fields, ({ name }) => name)].map(([name, all]) => {
    const values = all.map(({ json }) => json)
    return { name, json: values.length === 1 ? (values[0] as string) : `[${values.join()}]` }
  })

/** Quotes a name as JSON; most names need no escapes. */
const quote = (name: string): string => (/^[\w -]*$/.test(name) ? `"${name}"` : JSON.stringify(name))

const refuseTooLarge = (data: string): void => {
  // A UTF-16 unit takes at most three bytes.
  if (3 * data.length <= maxStoredBytes || Buffer.byteLength(data) <= maxStoredBytes) return
  const message = `must be at most ${maxStoredBytes} bytes as JSON, is ${Buffer.byteLength(data)}`
  const reason = because('textTooLong', maxSentBytes)
  throw new AppError('too_large', 'Invalid input data', { issues: [{ field: 'body', message, reason }] })
}

/**
 * Refuses data that looks like a stored file, for a form that takes no files, or has rules for them. Only JSON can hold such
 * an object that is no file: the pages would show it as one.
 *
 * @throws AppError `invalid` that names the field
 */
export const refuseFiles = (
  { fields, controlFields }: SentSubmission,
  { acceptFiles }: Pick<FormSettings, 'acceptFiles'>,
): void => {
  const found = [...fields, ...controlFields].find(
    ({ json, sameAs }) => sameAs === undefined && /^[{[]/.test(json) && filesIn(JSON.parse(json)).length > 0,
  )
  if (found) throw notAFile(found.name, acceptFiles ? 'takes files as multipart/form-data only' : 'takes none')
}

/** Says that a form does not take this field as a file. @param why such as `takes none` */
export const notAFile = (field: string, why: string): AppError =>
  invalid({
    field: shown(field),
    message: `must not be a file, because this form ${why}`,
    reason: because('noFiles'),
  })

const maxSubjectLength = 200

/** The subject in one line, cut to 200 characters; undefined if there is nothing in it. */
export const toSubject = (text: string): string | undefined => {
  // Of a long text, the pattern need not look at more than could be shown.
  const line = text
    .slice(0, 10 * maxSubjectLength)
    .replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
  return [...line].slice(0, maxSubjectLength).join('').trimEnd() || undefined
}

/** @throws AppError `invalid` for what no submission may hold */
export const textField = (name: string, text: string): Field => ({
  name: checkText(name, name),
  json: JSON.stringify(checkText(name, text)),
})

/**
 * @returns the text itself
 * @throws AppError `invalid` for NUL and lone surrogates. No one types them, and many databases and JSON parsers fail
 *   on them.
 */
export const checkText = (name: string, text: string): string => {
  if (isCleanText(text)) return text
  const message = text.includes('\0') ? 'must not contain NUL' : 'must be well-formed Unicode'
  throw invalid({ field: shown(name), message })
}

/** A name for an error message: shortened, and without characters that cannot be sent. */
export const shown = (name: string): string => atMost(name.toWellFormed().replaceAll('\0', '�') || 'body', 100)

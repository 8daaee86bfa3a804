import { memberCuts, scanJson } from '../base/json-scan.ts'
import { visible } from '../base/visible.ts'
import { fileFacts, filesIn, isFile } from './files/sent-file.ts'

/** A value as it was sent. */
interface SentValue {
  /** JSON text, so that a long number keeps its digits. */
  readonly json: string
  /** Where that stands in the text. */
  readonly start: number
}

/** One field as it was sent. */
export interface SubmittedField extends SentValue {
  readonly name: string
}

/** More than a submission can have. */
const maxMembers = 100_000

/**
 * The fields of a submission: the members of its JSON object, in order. If the text was cut off, the last one has only
 * the beginning of its value.
 *
 * @param most the first ones are enough
 */
export const fieldsIn = (text: string, most = maxMembers): SubmittedField[] => {
  const { cuts } = scanJson(text, most)
  const fields = memberCuts(cuts).map(([start, colon, end]): SubmittedField => {
    const { json, start: at } = valueBetween(text, colon + 1, end)
    return { name: nameBetween(text, start + 1, colon), json, start: at }
  })
  const [start = 0, colon = 0] = cuts.slice(2 * fields.length)
  const cutOff = text[colon] === ':' ? text.slice(colon + 1).trim() : ''
  if (cutOff !== '')
    fields.push({ name: nameBetween(text, start + 1, colon), json: beginningOf(cutOff), start: colon + 1 })
  return fields
}

/**
 * The items of a JSON array, in order; of any other value, the value itself.
 *
 * @param most the first ones are enough; one more may come
 */
export const itemsIn = (json: string, most = maxMembers): SentValue[] => {
  if (json[0] !== '[') return [{ json, start: 0 }]
  // A member has two cuts.
  const { cuts } = scanJson(json, Math.ceil(most / 2), true)
  const items = cuts.slice(1).map((end, i) => valueBetween(json, (cuts[i] as number) + 1, end))
  return items.filter((item) => item.json !== '')
}

/** Most names have no escapes. `JSON.parse` takes 130 ns, and a page of a list has 90 names. */
const nameBetween = (text: string, from: number, to: number): string => {
  const json = text.slice(from, to).trim()
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)
}

const valueBetween = (text: string, from: number, to: number): SentValue => {
  const value = text.slice(from, to)
  return { json: value.trim(), start: from + value.length - value.trimStart().length }
}

/** More than a list shows of a value. */
const maxBeginning = 2000

/** Cuts a value, as the JSON of a text. */
const beginningOf = (json: string): string => {
  const beginning = json.slice(0, maxBeginning)
  // Ends before an escape that was cut.
  const text = /^"(?:[^"\\]|\\u[\da-f]{4}|\\[^u])*/i.exec(beginning)?.[0]
  return JSON.stringify(`${text === undefined ? beginning : JSON.parse(`${text}"`)}…`)
}

/**
 * Shows a field as plain text for a message. A file is its name and size. Empty if nothing was sent.
 *
 * @param json the value as JSON text
 */
export const fieldText = (json: string): string => {
  const value: unknown = JSON.parse(json)
  const files = filesIn(value)
  if (files.length > 0) return files.map((file) => visible(`${file.filename} (${fileFacts(file)})`)).join(', ')
  if (value === null) return ''
  if (typeof value === 'string') return visible(value)
  return visible(textsIn(value)?.join(', ') ?? json)
}

/**
 * The texts of a list, as people read them: without the empty ones, which inputs of the same name send that are not used, such
 * as that for another answer. Undefined for anything but a list of texts.
 */
export const textsIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.filter((item) => item !== '')
    : undefined

/** Tokens of JSON text: texts, empty objects and arrays, what opens, separates and closes, and white space. */
const tokens = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g

/** Indents JSON text, unless that would multiply it by its depth. The tokens stay: a long number keeps its digits. */
export const readableJson = (json: string): string => {
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  const indented = json.replaceAll(tokens, (token) => {
    if (token === '{' || token === '[') {
      depth++
      return token + newLine()
    }
    if (token === '}' || token === ']') {
      depth--
      return newLine() + token
    }
    if (token === ',') return token + newLine()
    if (token === ':') return ': '
    return token.trim()
  })
  return indented.length > 4 * json.length ? json : indented
}

/** The text that a JSON value is; undefined if it is something else. */
export const textIn = (json: string): string | undefined => {
  if (!json.startsWith('"')) return undefined
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)
}

/** What an item of a field is called in a list: a file by its name. */
export const itemName = (item: unknown): string => {
  if (isFile(item)) return item.filename || 'Unnamed file'
  return typeof item === 'string' ? item : JSON.stringify(item)
}

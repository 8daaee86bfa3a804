import { memberCuts, scanJson } from '../json-scan.ts'

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
 */
export const fieldsIn = (text: string): SubmittedField[] => {
  const { cuts } = scanJson(text, maxMembers)
  const fields = memberCuts(cuts).map(
    ([start, colon, end]): SubmittedField => ({
      name: JSON.parse(text.slice(start + 1, colon)),
      ...valueBetween(text, colon + 1, end),
    }),
  )
  const [start = 0, colon = 0] = cuts.slice(2 * fields.length)
  const cutOff = text[colon] === ':' ? text.slice(colon + 1).trim() : ''
  if (cutOff !== '')
    fields.push({ name: JSON.parse(text.slice(start + 1, colon)), json: beginningOf(cutOff), start: colon + 1 })
  return fields
}

/** The items of a JSON array, in order; of any other value, the value itself. */
export const itemsIn = (json: string): SentValue[] => {
  if (json[0] !== '[') return [{ json, start: 0 }]
  const { cuts } = scanJson(json, maxMembers)
  const items = cuts.slice(1).map((end, i) => valueBetween(json, (cuts[i] as number) + 1, end))
  return items.filter((item) => item.json !== '')
}

const valueBetween = (text: string, from: number, to: number): SentValue => {
  const value = text.slice(from, to)
  return { json: value.trim(), start: from + value.length - value.trimStart().length }
}

/** More than a list shows of a value. */
const maxBeginning = 2000

/** As valid JSON: of a file all but its content, of several files the name of the first one, of all else text. */
const beginningOf = (json: string): string => {
  const beginning = json.slice(0, maxBeginning)
  const file = /^\[?(\{"filename":("(?:[^"\\]|\\.)*"),"type":"(?:[^"\\]|\\.)*","size":\d+,"base64":")/.exec(beginning)
  if (file?.[1]) return beginning[0] === '[' ? JSON.stringify(`${JSON.parse(file[2] ?? '""')}, …`) : `${file[1]}"}`
  // Ends before an escape that was cut.
  const text = /^"(?:[^"\\]|\\u[\da-f]{4}|\\[^u])*/i.exec(beginning)?.[0]
  return JSON.stringify(`${text === undefined ? beginning : JSON.parse(`${text}"`)}…`)
}

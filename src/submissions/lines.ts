import { atMost, oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { filesIn } from './files/sent-file.ts'
import { asRead } from './sent-as-read.ts'
import { fieldsIn, itemName, type SubmittedField } from './sent-fields.ts'
import type { StoredSubmission } from './stored-submission.ts'
import type { FoundSubmissions } from './submission-reads.ts'
import { linePart, type Summary, summaryOf } from './summary.ts'
import { firstText } from './whole-text.ts'

/** The fields of a submission, and whether these are all. */
interface FirstFields {
  readonly fields: readonly SubmittedField[]
  readonly isWhole: boolean
}

/**
 * The fields of a submission for a row of a list. Of a long submission only the first 64 KiB are read. If there is more,
 * `isWhole` is false, and the last field has only the beginning of its value.
 */
export const firstFields = (
  { readPiece, submissions }: FoundSubmissions,
  { id, data } = submissions[0] as StoredSubmission,
): FirstFields => {
  if (data !== '') return { fields: fieldsIn(data), isWhole: true }
  const { text, isWhole } = firstText(readPiece, id)
  return { fields: fieldsIn(text), isWhole }
}

/** The title of a submission: who sent it, else its text. @param settings of the form, as they are stored */
export const titleOf = (fields: readonly SubmittedField[], settings: string | null): string =>
  titleOfSummary(summaryOf(fields, settings))

export const titleOfSummary = ({ sender, text }: Pick<Summary, 'sender' | 'text'>): string =>
  atMost(sender || text, 80) || 'Submission without text'

/** A submission in one line of a list. */
export interface Line extends Pick<Summary, 'from'> {
  /** Who sent it, as far as it says so. */
  readonly who: string
  readonly about: string
  readonly words: string
}

/** @param settings of the form, as they are stored */
export const firstWords = (found: FoundSubmissions, settings: string | null): Line =>
  lineOf(firstFields(found), settings)

/** @param settings of the form, as they are stored */
export const lineOf = ({ fields, isWhole }: FirstFields, settings: string | null): Line => {
  const { sender, about, text, from } = summaryOf(fields, settings)
  if (sender !== '' || text !== '') return { who: sender, about, words: text, from }
  const none = { who: '', about: '', from }
  if (!isWhole) return { ...none, words: 'More than 64 KiB' }
  if (fields.every(({ json }) => isEmpty(json))) return { ...none, words: 'Nothing was filled in' }
  const files = fields.flatMap(({ json }) => (/^[[{]/.test(json) ? filesIn(JSON.parse(json)) : []))
  if (files.length > 0)
    return { ...none, words: linePart(files.map(({ filename }) => filename || 'Unnamed file').join(', ')) }
  return {
    ...none,
    words: linePart(`{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`),
  }
}

const isEmpty = (json: string): boolean => json === 'null' || /^"\s*"$/.test(json)

const maxCellCharacters = 300

/** The beginning of a value, for a cell of a list. */
export const cellText = (value: NonNullable<unknown> | null): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return visible(atMost(oneLine(text.slice(0, 4 * maxCellCharacters)), maxCellCharacters)).toWellFormed()
}

/** The text of a cell: empty if nothing was sent, null if the field is not in the part that the list reads. */
export type CellText = string | null

/** Columns for these fields of a form: the words above them, and the texts of a row. @param settings as they are stored */
export const columnsOf = (names: readonly string[], settings: string | null) => {
  const columns = names.map((name) => ({ name }))
  const labels = asRead(columns, settings).map(({ name }) => visible(name.slice(0, 100)).toWellFormed())
  return { labels, cellsOf: (row: FirstFields): CellText[] => names.map((name) => cellOf(row, name)) }
}

const cellOf = ({ fields, isWhole }: FirstFields, name: string): CellText => {
  const found = fields.find((field) => field.name === name)
  if (!found) return isWhole ? '' : null
  if (found.json.startsWith('"')) return cellText(JSON.parse(found.json))
  const value: NonNullable<unknown> | null = JSON.parse(found.json)
  const files = filesIn(value)
  // An input in which no file was chosen sends an empty text.
  const items: unknown[] = Array.isArray(value) ? value.filter((item) => item !== '') : [value]
  if (files.length > 1 && files.length === items.length) return `${files.length} files`
  if (files.length > 0) return cellText(items.map(itemName).join(', '))
  if (items.every((item) => typeof item === 'string')) return cellText(items.join(', '))
  return value === null ? '' : cellText(typeof value === 'number' ? found.json : value)
}

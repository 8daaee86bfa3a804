import { atMost, oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { html } from '../html/html.ts'
import { fieldsIn, type SubmittedField, textIn } from '../submissions/sent-fields.ts'
import type { StoredSubmission } from '../submissions/stored-submission.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import { firstText } from '../submissions/whole-text.ts'

/**
 * The fields of a submission for a row of a list. Of a long submission only the first 64 KiB are read. If there is more,
 * `isWhole` is false, and the last field has only the beginning of its value.
 */
export const firstFields = (
  { readPiece, submissions }: FoundSubmissions,
  { id, data } = submissions[0] as StoredSubmission,
): { readonly fields: SubmittedField[]; readonly isWhole: boolean } => {
  if (data !== '') return { fields: fieldsIn(data), isWhole: true }
  const { text, isWhole } = firstText(readPiece, id)
  return { fields: fieldsIn(text), isWhole }
}

/** The title of a submission: the first text in it, which is usually a name. */
export const titleOf = (fields: readonly SubmittedField[]): string => {
  for (const { json } of fields) {
    const text = cellText(textIn(json) ?? '')
    if (text !== '') return atMost(text, 80)
  }
  return 'Submission without text'
}

interface FirstWords {
  /** The first text that was sent, which is usually a name. */
  readonly who: string
  /** The longest of the other texts; of those with several words, if there are any. */
  readonly words: string
}

/** A submission in one line of a list. */
export const firstWords = (found: FoundSubmissions): FirstWords => {
  const { fields, isWhole } = firstFields(found)
  const texts = fields.flatMap(({ json }) => textIn(json) ?? [])
  const [who, ...others] = texts.filter((text) => text.trim() !== '')
  if (who === undefined && !isWhole) return { who: '', words: 'More than 64 KiB' }
  if (fields.every(({ json }) => isEmpty(json))) return { who: '', words: 'Nothing was filled in' }
  if (who === undefined)
    return { who: '', words: cut(`{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`) }
  const sentences = others.filter((text) => /\s/.test(text.trim()))
  return { who: cut(who), words: cut(longest(sentences.length > 0 ? sentences : others)) }
}

const isEmpty = (json: string): boolean => json === 'null' || /^"\s*"$/.test(json)

const longest = (texts: readonly string[]): string =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), '')

/** More than any screen shows of it. */
const maxWordCharacters = 200

const cut = (text: string): string =>
  visible(oneLine(text.slice(0, 4 * maxWordCharacters)).slice(0, maxWordCharacters)).toWellFormed()

/** Stands for a field that is missing or empty. */
export const emptyValue = html`<span class="none" aria-hidden="true">–</span><span class="visually-hidden">Empty</span>`

const maxCellCharacters = 300

/** The beginning of a value, for a cell of a list. */
export const cellText = (value: NonNullable<unknown> | null): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return visible(atMost(oneLine(text.slice(0, 4 * maxCellCharacters)), maxCellCharacters)).toWellFormed()
}

import { atMost, oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { html } from '../html/html.ts'
import { fieldsIn, type SubmittedField } from '../submissions/sent-fields.ts'
import type { StoredSubmission } from '../submissions/stored-submission.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import { linePart, summaryOf } from '../submissions/summary.ts'
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

/** The title of a submission: who sent it, else its text. @param settings of the form, as they are stored */
export const titleOf = (fields: readonly SubmittedField[], settings: string | null): string => {
  const { sender, text } = summaryOf(fields, settings)
  return atMost(sender || text, 80) || 'Submission without text'
}

interface FirstWords {
  /** Who sent it, as far as it says so. */
  readonly who: string
  readonly words: string
}

/** A submission in one line of a list. @param settings of the form, as they are stored */
export const firstWords = (found: FoundSubmissions, settings: string | null): FirstWords => {
  const { fields, isWhole } = firstFields(found)
  const { sender, text } = summaryOf(fields, settings)
  if (sender !== '' || text !== '') return { who: sender, words: text }
  if (!isWhole) return { who: '', words: 'More than 64 KiB' }
  if (fields.every(({ json }) => isEmpty(json))) return { who: '', words: 'Nothing was filled in' }
  return {
    who: '',
    words: linePart(`{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`),
  }
}

const isEmpty = (json: string): boolean => json === 'null' || /^"\s*"$/.test(json)

/** Stands for a field that is missing or empty. */
export const emptyValue = html`<span class="none" aria-hidden="true">–</span><span class="visually-hidden">Empty</span>`

const maxCellCharacters = 300

/** The beginning of a value, for a cell of a list. */
export const cellText = (value: NonNullable<unknown> | null): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return visible(atMost(oneLine(text.slice(0, 4 * maxCellCharacters)), maxCellCharacters)).toWellFormed()
}

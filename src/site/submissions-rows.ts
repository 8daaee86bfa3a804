import { creationTime } from '../base/id.ts'
import { inTurns } from '../base/in-turns.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { submissionPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { type Html, html } from '../html/html.ts'
import { filesIn } from '../submissions/files/sent-file.ts'
import { cellText, type Line, lineOf } from '../submissions/lines.ts'
import { termsFor } from '../submissions/search/hits.ts'
import type { Term } from '../submissions/search/terms.ts'
import { itemName, type SubmittedField } from '../submissions/sent-fields.ts'
import type { HandlingState } from '../submissions/states.ts'
import { type Chip, type ListRow, listRows } from './list-rows.ts'
import { excerpt, marked } from './marked.ts'

export interface SubmissionRow {
  readonly id: string
  readonly isUnread: boolean
  readonly state: HandlingState
  readonly fields: readonly SubmittedField[]
  /** Whether these are all of its fields. */
  readonly isWhole: boolean
  /** Words about it that its fields do not tell. */
  readonly chips?: readonly Chip[]
}

export interface ShownRows {
  readonly formId: string
  readonly form: Pick<Form, 'settings'>
  readonly rows: readonly SubmissionRow[]
  /** The query of the page of a submission. */
  readonly query: string
  readonly now: number
  readonly isTicked: boolean
  /** The terms of the search, to mark them. */
  readonly terms: readonly Term[]
}

/** The list of a form: a line each. Made in turns, between which others are served. */
export const submissionRows = async (shown: ShownRows): Promise<Html> => {
  const base = submissionPath(shown.formId, '')
  const rows = await inTurns(shown.rows, (row) => toListRow(row, shown, base))
  return listRows({ rows, now: shown.now, hasDays: shown.terms.length === 0 })
}

/** A submission as a line of a list. */
export const toListRow = (
  row: SubmissionRow,
  { formId, form, query, isTicked, terms }: Omit<ShownRows, 'rows'>,
  /** The path of a submission without its identifier. */
  base = submissionPath(formId, ''),
): ListRow => {
  const line = lineOf(row, form.settings)
  return {
    id: row.id,
    at: creationTime(row.id),
    path: base + row.id + query,
    isUnread: row.isUnread,
    state: row.state,
    isTicked,
    sender: line.who,
    about: line.about,
    text: terms.length === 0 ? line.words : foundIn(row, line, terms),
    mark: terms.length === 0 ? undefined : (text) => marked(text, wanted(terms)),
    chips: chipsOf(row),
  }
}

const wanted = (terms: readonly Term[]): Term[] => terms.filter(({ isExcluded }) => !isExcluded)

const chipsOf = (row: SubmissionRow): readonly Chip[] => {
  const files = countFiles(row)
  const { chips = [] } = row
  return files === 0 ? chips : [{ text: files === 1 ? '1 file' : `${files} files` }, ...chips]
}

/** The text with what was found in it, or the words around what was found elsewhere. */
const foundIn = (row: SubmissionRow, { who, about, words, from }: Line, terms: readonly Term[]): string | Html => {
  const field = from.text === undefined ? undefined : row.fields[from.text]
  const inText = field && excerpt(visible(shownText(field.json)).toWellFormed(), termsFor(terms, field.name))
  if (inText) return inText
  const shown = [
    { name: nameAt(row, from.sender[0]), text: who },
    { name: nameAt(row, from.about), text: about },
  ]
  return foundElsewhere(row, shown, terms) ?? words
}

const nameAt = ({ fields }: SubmissionRow, position: number | undefined): string =>
  position === undefined ? '' : (fields[position]?.name ?? '')

/** The words around what was found where the list does not show it; undefined if it shows all that was found. */
export const foundElsewhere = (
  { fields }: SubmissionRow,
  shown: readonly { readonly name: string; readonly text: string }[],
  terms: readonly Term[],
): Html | undefined => {
  const isShown = (term: Term): boolean =>
    shown.some(({ name, text }) => excerpt(text, termsFor([term], name)) !== undefined)
  const hidden = wanted(terms).filter((term) => !isShown(term))
  if (hidden.length === 0) return undefined
  for (const { name, json } of fields) {
    const found = excerpt(visible(shownText(json)).toWellFormed(), termsFor(hidden, name))
    if (found) return html`<bdi>${cellText(name)}</bdi>: ${found}`
  }
  return html`Found further on in a long text`
}

/** More than it takes to show why something was found, and less than would hold up the page. */
const maxShownCharacters = 20_000

const shownText = (json: string): string => {
  const value: unknown = JSON.parse(json)
  const files = filesIn(value)
  if (files.length > 0) return files.map(itemName).join(', ')
  return oneLine((typeof value === 'string' ? value : json).slice(0, maxShownCharacters))
}

/** The files in fields that have no column. */
export const countFiles = ({ fields }: SubmissionRow, columns: readonly string[] = []): number => {
  const others = fields.filter(({ name, json }) => /^[[{]/.test(json) && !columns.includes(name))
  return others.reduce((count, { json }) => count + filesIn(JSON.parse(json)).length, 0)
}

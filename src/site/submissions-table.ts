import { dayMilliseconds } from '../base/durations.ts'
import { creationTime } from '../base/id.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { submissionPath } from '../config/addresses.ts'
import { withLabels } from '../forms/fields/labels.ts'
import type { Form } from '../forms/form.ts'
import { ago, clockTime, longDay } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { Term } from '../submissions/search/query.ts'
import { filesIn, isFile, type SubmittedField } from '../submissions/sent-fields.ts'
import { type ListQuery, queryString } from './list-query.ts'
import { excerpt, marked, termsFor } from './marked.ts'
import { cellText, emptyValue, titleOf } from './summary.ts'

export interface SubmissionRow {
  readonly id: string
  readonly isUnread: boolean
  readonly isDone: boolean
  readonly fields: readonly SubmittedField[]
  /** Whether these are all of its fields. */
  readonly isWhole: boolean
}

interface Shown {
  readonly formId: string
  readonly form: Pick<Form, 'settings'>
  /** Names of the fields that are shown. Without any, the table shows the titles of the submissions. */
  readonly columns: readonly string[]
  readonly rows: readonly SubmissionRow[]
  readonly listQuery: ListQuery
  /** On all pages together; undefined if no one has counted them. */
  readonly total: number | undefined
  readonly now: number
  readonly isAllSelected: boolean
  /** The terms of the search, to mark them. */
  readonly terms: readonly Term[]
}

interface Column {
  /** The field's name. */
  readonly name: string
  /** The name as a telephone shows it beside each value. */
  readonly label: string
  /** Whether it gets the most room. */
  readonly isLong: boolean
}

/** The parts that all rows share, made once. */
interface Sheet extends Omit<Shown, 'columns'> {
  readonly columns: readonly Column[]
  /** The names of the columns. */
  readonly names: readonly string[]
  /** The beginning of a submission's path, and its query. */
  readonly path: string
  readonly query: string
}

/** Made in turns, between which others are served: a search may have found a hundred rows of 64 KiB. */
export const submissionsTable = async (shown: Shown): Promise<Html> => {
  const { rows } = shown
  const hasColumns = shown.columns.length > 0
  const names = hasColumns ? shown.columns : ['Submission']
  const cells = await inTurns(rows, (row) =>
    hasColumns ? names.map((name) => cellOf(row, name)) : [titleOf(row.fields, shown.form.settings)],
  )
  const longColumn = longestColumn(cells)
  const heads = withLabels(
    names.map((name) => ({ name })),
    hasColumns ? shown.form.settings : null,
  ).map(({ name }) => name)
  const columns = names.map((name, i) => ({ name, label: labelOf(heads[i] as string), isLong: i === longColumn }))
  const more: Record<string, string> = shown.listQuery.state === 'unread' ? { of: String(shown.total) } : {}
  const sheet = {
    ...shown,
    columns,
    names,
    path: submissionPath(shown.formId, ''),
    query: queryString(shown.listQuery, more),
  }
  const markup = await inTurns(
    rows,
    (row, position) =>
      html`${dayHeading(rows, position, columns.length + 2)}${tableRow(row, cells[position] as CellText[], sheet)}`,
  )
  return html`<table class="entries of-${columns.length}" role="table" aria-label="Submissions">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col"><span class="visually-hidden">Select</span></th>
${heads.map(
  (name) => html`<th role="columnheader" scope="col"><bdi>${cellText(name)}</bdi></th>
`,
)}
<th role="columnheader" scope="col" class="when" data-local="Time">UTC</th>
</tr></thead>
${markup}</tbody>
</table>`
}

const turnMilliseconds = 5

/** Does something with each item, and lets others through after each five milliseconds. */
export const inTurns = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item, position: number) => Result,
): Promise<Result[]> => {
  const results: Result[] = []
  let startedAt = performance.now()
  for (const [position, item] of items.entries()) {
    results.push(work(item, position))
    if (performance.now() - startedAt < turnMilliseconds) continue
    await Bun.sleep(0)
    startedAt = performance.now()
  }
  return results
}

/** Before the first row of each day, in UTC: ends the group of the day before, and begins that of the day. */
const dayHeading = (rows: readonly SubmissionRow[], position: number, width: number): Html | false => {
  const at = creationTime((rows[position] as SubmissionRow).id)
  const before = rows[position - 1]
  if (before && dayOf(creationTime(before.id)) === dayOf(at)) return false
  return html`${
    before &&
    html`</tbody>
`
  }<tbody role="rowgroup">
<tr role="row" class="day"><th role="rowheader" scope="rowgroup" colspan="${width}">${longDay(at)}</th></tr>
`
}

const dayOf = (at: number): number => Math.floor(at / dayMilliseconds)

const tableRow = (
  row: SubmissionRow,
  texts: readonly CellText[],
  { columns, names, path, query, listQuery, now, isAllSelected, terms }: Sheet,
): Html => {
  const at = creationTime(row.id)
  const clock = clockTime(at)
  const who = texts[0] as CellText
  const first = names[0] as string
  const none = who === null ? 'Too long for this list' : `No ${cellText(first)}`
  const link = who ? html`<bdi>${marked(who, termsFor(terms, first))}</bdi>` : html`<span class="none">${none}</span>`
  const fileCount = countFiles(row, names)
  return html`<tr role="row"${row.isUnread && html` class="is-unread"`}>
<td role="cell"><label class="check${row.isUnread && ' dot'}"><input type="checkbox" name="ids" value="${row.id}"${isAllSelected && html` checked`}><span class="visually-hidden">Select ${who || none}, ${clock}</span></label></td>
<td role="cell" class="who-cell"><a class="open" href="${path}${row.id}${query}" id="${row.id}">${row.isUnread && html`<span class="visually-hidden">Unread: </span>`}${link}</a>${row.isDone && listQuery.state !== 'done' && html` <span class="muted small">Done</span>`}${fileCount > 0 && html` <span class="muted small">${fileCount === 1 ? '1 file' : `${fileCount} files`}</span>`}${terms.length > 0 && foundElsewhere(row, names, texts, terms)}</td>
${texts.slice(1).map((text, i) => cell(columns[i + 1] as Column, text, terms))}<td role="cell" class="when"><span class="muted small">${ago(at, now, 1)}</span> ${clock}</td>
</tr>
`
}

/** The text around the words that were found where no column shows them. */
const foundElsewhere = (
  { fields }: SubmissionRow,
  columns: readonly string[],
  texts: readonly CellText[],
  terms: readonly Term[],
): Html | false => {
  const isShown = (term: Term): boolean =>
    texts.some((text, i) => text !== null && excerpt(text, termsFor([term], columns[i] as string)) !== undefined)
  const hidden = terms.filter((term) => !term.isExcluded && !isShown(term))
  for (const { name, json } of hidden.length === 0 ? [] : fields) {
    const found = excerpt(visible(shownText(json)).toWellFormed(), termsFor(hidden, name))
    if (found) return html`<span class="found muted small"><bdi>${cellText(name)}</bdi>: <bdi>${found}</bdi></span>`
  }
  return hidden.length > 0 && html`<span class="found muted small">Found further on in a long text</span>`
}

/** More than it takes to show why something was found, and less than would hold up the page. */
const maxShownCharacters = 20_000

const shownText = (json: string): string => {
  const value: unknown = JSON.parse(json)
  const files = filesIn(value)
  if (files.length > 0) return files.map(nameOf).join(', ')
  return oneLine((typeof value === 'string' ? value : json).slice(0, maxShownCharacters))
}

/** The files in fields that have no column. */
const countFiles = ({ fields }: SubmissionRow, columns: readonly string[]): number => {
  const others = fields.filter(({ name, json }) => /^[[{]/.test(json) && !columns.includes(name))
  return others.reduce((count, { json }) => count + filesIn(JSON.parse(json)).length, 0)
}

/** Characters. On a telephone, a longer name of a field has a line of its own above its value. */
const maxShortLabel = 20

const labelOf = (name: string): string => visible(name.slice(0, 100)).toWellFormed()

const cell = ({ name, label, isLong }: Column, text: CellText, terms: readonly Term[]): Html => {
  const classes = `${isLong ? ' long' : ''}${text ? '' : ' is-empty'}${label.length > maxShortLabel ? ' named' : ''}`
  return html`<td role="cell" data-label="${label}"${classes !== '' && html` class="${classes.slice(1)}"`}>${cellValue(text, termsFor(terms, name))}</td>
`
}

const cellValue = (text: CellText, terms: readonly Term[]): Html => {
  if (text === null) return notRead
  return text === '' ? emptyValue : html`<bdi>${marked(text, terms)}</bdi>`
}

const notRead = html`<span class="none" aria-hidden="true">…</span><span class="visually-hidden">Too long for this list</span>`

/** The text of a cell: empty if nothing was sent, null if the field is not in the part that the list reads. */
type CellText = string | null

const cellOf = ({ fields, isWhole }: SubmissionRow, name: string): CellText => {
  const found = fields.find((field) => field.name === name)
  if (!found) return isWhole ? '' : null
  if (found.json.startsWith('"')) return cellText(JSON.parse(found.json))
  const value: NonNullable<unknown> | null = JSON.parse(found.json)
  const files = filesIn(value)
  // An input in which no file was chosen sends an empty text.
  const items: unknown[] = Array.isArray(value) ? value.filter((item) => item !== '') : [value]
  if (files.length > 1 && files.length === items.length) return `${files.length} files`
  if (files.length > 0) return cellText(items.map(nameOf).join(', '))
  if (items.every((item) => typeof item === 'string')) return cellText(items.join(', '))
  return value === null ? '' : cellText(typeof value === 'number' ? found.json : value)
}

const nameOf = (item: unknown): string => {
  if (isFile(item)) return item.filename || 'Unnamed file'
  return typeof item === 'string' ? item : JSON.stringify(item)
}

/** The column that gets the most room, because a quarter of its texts are long; -1 if there is none. */
const longestColumn = (cells: readonly CellText[][]): number => {
  const lengths = (cells[0] ?? []).map((_, column) => upperQuartile(cells.map((texts) => texts[column]?.length ?? 0)))
  return lengths.indexOf(Math.max(41, ...lengths.slice(1)), 1)
}

const upperQuartile = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.75)] ?? 0

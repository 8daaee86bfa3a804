import { dayMilliseconds } from '../durations.ts'
import type { RefusedOrigin } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { deleteByDefault } from '../html/field.ts'
import { ago, clockTime, count, days, longDay, shortDay } from '../html/format.ts'
import { notice, pageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pager } from '../html/pager.ts'
import { creationTime } from '../id.ts'
import { filesIn, isFile, type SubmittedField } from '../submissions/sent-fields.ts'
import { visible } from '../visible.ts'
import { formFrame, formPath } from './form-frame.ts'
import { type ListPlace, placeInputs, placePath, placeQuery } from './list-place.ts'
import { eventsPath, stateOf } from './live.ts'
import { refusedLine } from './refused-origins.ts'
import { selectionBar } from './selection-bar.ts'
import { cellText, emptyValue } from './sent-value.ts'
import { smallPlot, total as totalOf } from './small-plot.ts'
import { titleOf } from './submission-title.ts'
import { submissionsToolbar } from './submissions-toolbar.ts'
import { type Trouble, troubleLine } from './trouble.ts'

export interface SubmissionRow {
  readonly id: string
  readonly isNew: boolean
  readonly fields: readonly SubmittedField[]
  /** Whether these are all of its fields. */
  readonly isWhole: boolean
}

interface Shown {
  readonly email: string
  readonly form: Form
  /** Names of the fields that are shown. Without any, the list shows the titles of the submissions. */
  readonly columns: readonly string[]
  readonly rows: readonly SubmissionRow[]
  readonly newCount: number
  /** Whether somebody was not told of a submission. */
  readonly trouble: Trouble
  /** Pages that may not send to the form. */
  readonly refused: readonly RefusedOrigin[]
  /** Submissions on each of the last days, the last one today. */
  readonly days: readonly number[]
  readonly now: number
  /** Submissions on all pages together. */
  readonly total: number
  readonly place: ListPlace
  readonly perPage: number
  /** What is wrong with the dates. */
  readonly problem: string | undefined
  readonly isAllSelected: boolean
  readonly done: SubmissionsDone | undefined
}

/** What was just done with how many. */
export interface SubmissionsDone {
  readonly what: 'deleted' | 'marked'
  readonly count: number
}

export const submissionsPage = (shown: Shown): Response => {
  const { email, form, days, now, problem, done, trouble, refused } = shown
  return formFrame({
    form,
    email,
    tab: 'Submissions',
    status: problem ? 400 : 200,
    ...(form.submissionCount > 0 && { aside: plot(days, now) }),
    body: html`${done && notice('done', doneText(done, parseSettings(form.settings).spamDays))}
${problem && notice('failed', problem)}${troubleLine(form.id, trouble)}${refusedLine(form.id, refused)}
<div${!problem && html` data-live="${eventsPath(form.id)}" data-state="${stateOf(form)}" tabindex="-1"`}>
${form.submissionCount > 0 && submissionsToolbar(shown)}
${!problem && entries(shown)}
</div>
<p class="visually-hidden" id="arrived" role="status"></p>`,
    headers: {
      'content-security-policy': `${pageHeaders['content-security-policy']}; connect-src 'self'`,
    },
  })
}

const entries = (shown: Shown): Html => {
  const { form, rows } = shown
  if (form.submissionCount === 0) return nothingYet(form.id)
  return rows.length === 0 ? noMatch(form.id) : list(shown)
}

const doneText = ({ what, count: number }: SubmissionsDone, spamDays: number): string => {
  const which = number === 1 ? 'The submission has' : `${count(number)} submissions have`
  if (what === 'deleted') return `${which} been deleted.`
  return `${which} been marked as spam, and will be deleted after ${days(spamDays)}.`
}

const plot = (days: readonly number[], now: number): Html => html`<figure class="plot">
${smallPlot(days, now)}
<figcaption><span>${shortDay(now - (days.length - 1) * dayMilliseconds)}</span><span>${count(totalOf(days))} in ${days.length} days</span><span>${shortDay(now)}</span></figcaption>
</figure>`

const nothingYet = (formId: string): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">Nothing yet</h2>
<p>What people send appears here. Put the form’s snippet on your page, or send a test to see how it looks.</p>
<p class="next"><a class="button primary" href="${formPath(formId)}/embed">Get the snippet</a></p>
</section>`

const noMatch = (formId: string): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">None on these dates</h2>
<p class="next"><a class="button" href="${formPath(formId)}">All dates</a></p>
</section>`

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

const list = (shown: Shown): Html => {
  const { form, rows, now, isAllSelected, place, total } = shown
  const path = formPath(form.id)
  const hasColumns = shown.columns.length > 0
  const columns = hasColumns ? shown.columns : ['Submission']
  const cells = rows.map((row) => (hasColumns ? columns.map((name) => cellOf(row, name)) : [titleOf(row.fields)]))
  const longColumn = longestColumn(cells)
  return html`<form class="selectable" autocomplete="off" method="post" action="${path}/submissions/delete">
${placeInputs(place)}${deleteByDefault}<a class="skip" href="#after-list">Skip the list</a>
<div class="card flush bleed">
<table class="entries of-${columns.length}" role="table" aria-label="Submissions">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col"><span class="visually-hidden">Select</span></th>
${columns.map(
  (name) => html`<th role="columnheader" scope="col"><bdi>${cellText(name)}</bdi></th>
`,
)}
<th role="columnheader" scope="col" class="when" data-local="Time">UTC</th>
</tr></thead>
${rows.map(
  (row, position) =>
    html`${dayHeading(rows, position, columns)}${tableRow(row, cells[position] as CellText[], { columns, longColumn, path, place, now, isAllSelected })}`,
)}</tbody>
</table>
</div>
${selectionBar({
  what: 'submissions',
  rowCount: rows.length,
  isAllSelected,
  selectAllPath: placePath(form.id, place, { select: 'all' }),
  clearPath: placePath(form.id, place),
  buttons: html`<button formaction="${path}/submissions/spam">Mark as spam</button>
<button class="danger">Delete</button>`,
})}
</form>
${pager({ page: place.page, perPage: shown.perPage, total, toPath: (page) => placePath(form.id, { ...place, page }) })}`
}

/** Before the first row of each day, in UTC: ends the group of the day before, and begins that of the day. */
const dayHeading = (rows: readonly SubmissionRow[], position: number, columns: readonly string[]): Html | false => {
  const at = creationTime((rows[position] as SubmissionRow).id)
  const before = rows[position - 1]
  if (before && isoDay(creationTime(before.id)) === isoDay(at)) return false
  return html`${
    before &&
    html`</tbody>
`
  }<tbody role="rowgroup">
<tr role="row" class="day"><th role="rowheader" scope="rowgroup" colspan="${columns.length + 2}">${longDay(at)}</th></tr>
`
}

interface RowOptions {
  readonly columns: readonly string[]
  readonly longColumn: number
  readonly path: string
  readonly place: ListPlace
  readonly now: number
  readonly isAllSelected: boolean
}

const tableRow = (row: SubmissionRow, texts: readonly CellText[], options: RowOptions): Html => {
  const { columns, longColumn, path, place, now, isAllSelected } = options
  const at = creationTime(row.id)
  const who = texts[0] as CellText
  const none = who === null ? 'Too long for this list' : `No ${cellText(columns[0] as string)}`
  const link = who ? html`<bdi>${who}</bdi>` : html`<span class="none">${none}</span>`
  return html`<tr role="row"${row.isNew && html` class="is-new"`}>
<td role="cell"><label class="check${row.isNew && ' dot'}"><input type="checkbox" name="ids" value="${row.id}"${isAllSelected && html` checked`}><span class="visually-hidden">Select ${who || none}, ${clockTime(at)}</span></label></td>
<td role="cell" class="who-cell"><a class="open" href="${path}/submissions/${row.id}${placeQuery(place)}">${row.isNew && html`<span class="visually-hidden">New: </span>`}${link}</a></td>
${texts.slice(1).map((text, i) => cell(columns[i + 1] as string, text as CellText, i + 1 === longColumn))}<td role="cell" class="when"><span class="muted small">${ago(at, now, 1)}</span> ${clockTime(at)}</td>
</tr>
`
}

const cell = (name: string, text: CellText, isLongColumn: boolean): Html => {
  const classes = [isLongColumn && 'long', !text && 'is-empty'].filter(Boolean).join(' ')
  return html`<td role="cell" data-label="${visible(name.slice(0, 100)).toWellFormed()}"${classes !== '' && html` class="${classes}"`}>${cellValue(text)}</td>
`
}

const cellValue = (text: CellText): Html => {
  if (text === null) return notRead
  return text === '' ? emptyValue : html`<bdi>${text}</bdi>`
}

const notRead = html`<span class="none" aria-hidden="true">…</span><span class="visually-hidden">Too long for this list</span>`

/** What a cell shows of a field: empty if nothing was sent, null if the field is not in the part that the list reads. */
type CellText = string | null

const cellOf = ({ fields, isWhole }: SubmissionRow, name: string): CellText => {
  const found = fields.find((field) => field.name === name)
  if (!found) return isWhole ? '' : null
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

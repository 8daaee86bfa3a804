import { creationTime } from '../base/id.ts'
import { inTurns } from '../base/in-turns.ts'
import { toIsoTime } from '../base/moment.ts'
import { submissionPath } from '../config/addresses.ts'
import { dayInWords, rowTime } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { type CellText, columnsOf } from '../submissions/lines.ts'
import { termsFor } from '../submissions/search/hits.ts'
import type { Term } from '../submissions/search/terms.ts'
import { chip, stateClass, stateMarks } from './list-rows.ts'
import { marked } from './marked.ts'
import { countFiles, foundElsewhere, type ShownRows, type SubmissionRow } from './submissions-rows.ts'

interface Shown extends ShownRows {
  /** Names of the fields that the owner chose to see, at least one. */
  readonly columns: readonly string[]
}

interface Column {
  /** The field's name. */
  readonly name: string
  /** The name as its form shows it. */
  readonly label: string
  /** How much room it needs: ` long`, ` few` or none. */
  readonly room: string
}

/** The list with columns. Made in turns, between which others are served: a search may find a hundred rows of 64 KiB. */
export const submissionsTable = async (shown: Shown): Promise<Html> => {
  const { rows, columns: names, form } = shown
  const { labels, cellsOf } = columnsOf(names, form.settings)
  const cells = await inTurns(rows, cellsOf)
  const columns = names.map((name, i) => ({
    name,
    label: labels[i] as string,
    room: i === 0 ? '' : roomFor(cells.map((texts) => texts[i]?.length ?? 0)),
  }))
  const markup = await inTurns(rows, (row, position) => tableRow(row, cells[position] as CellText[], columns, shown))
  return html`<table class="columns" role="table" aria-label="Submissions">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col"><span class="visually-hidden">Select</span></th>
${columns.map(
  ({ label, room }) =>
    html`<th role="columnheader" scope="col"${room && html` class="${room}"`}><bdi>${label}</bdi></th>
`,
)}<th role="columnheader" scope="col" class="when">Time</th>
</tr></thead>
<tbody role="rowgroup">
${markup}</tbody>
</table>
`
}

const tableRow = (
  row: SubmissionRow,
  texts: readonly CellText[],
  columns: readonly Column[],
  { formId, query, now, isTicked, terms }: Shown,
): Html => {
  const at = creationTime(row.id)
  const when = rowTime(at, now)
  const first = columns[0] as Column
  const none = texts[0] === null ? 'Too long for this list' : `No ${first.label}`
  const names = columns.map(({ name }) => name)
  const fileCount = countFiles(row, names)
  const link = texts[0]
    ? html`<bdi>${marked(texts[0], termsFor(terms, first.name))}</bdi>`
    : html`<span class="none">${none}</span>`
  return html`<tr role="row" class="${row.isUnread && 'is-unread'}${stateClass(row.state)}">
<td role="cell"><label class="check"><input type="checkbox" name="ids" value="${row.id}"${isTicked && html` checked`}><span class="visually-hidden">Select ${texts[0] || none}, ${when}</span></label><a class="to-bar" href="#picked">To the actions</a></td>
<td role="cell"><a class="open" id="${row.id}" href="${submissionPath(formId, row.id)}${query}">${row.isUnread && html`<span class="visually-hidden">Unread: </span>`}${stateMarks[row.state]}${link}</a>${fileCount > 0 && html` <span class="chip">${fileCount === 1 ? '1 file' : `${fileCount} files`}</span>`}${row.chips?.map((one) => html` ${chip(one)}`)}${terms.length > 0 && foundInRow(row, columns, texts, terms)}</td>
${texts.slice(1).map((text, i) => cell(columns[i + 1] as Column, text, terms))}<td role="cell" class="when"><time datetime="${toIsoTime(at)}" data-format="row">${when}</time></td>
</tr>
`
}

/** The words around what was found where no column shows it. */
const foundInRow = (
  row: SubmissionRow,
  columns: readonly Column[],
  texts: readonly CellText[],
  terms: readonly Term[],
): Html | false => {
  const shown = columns.map(({ name }, i) => ({ name, text: texts[i] ?? '' }))
  const found = foundElsewhere(row, shown, terms)
  return found !== undefined && html` <span class="muted">${found}</span>`
}

const cell = ({ name, label, room }: Column, text: CellText, terms: readonly Term[]): Html => {
  const classes = `${room}${text ? '' : ' is-empty'}`.trim()
  return html`<td role="cell" data-label="${label}"${classes !== '' && html` class="${classes}"`}>${cellValue(text, termsFor(terms, name))}</td>
`
}

const cellValue = (text: CellText, terms: readonly Term[]): Html => {
  if (text === null) return notRead
  return text === '' ? empty : html`<bdi>${terms.length === 0 ? dayInWords(text) : marked(text, terms)}</bdi>`
}

const empty = html`<span class="visually-hidden">Empty</span>`
const notRead = html`<span class="none" aria-hidden="true">…</span><span class="visually-hidden">Too long for this list</span>`

/** Characters of which a column of texts has more in the middle, and one of words fewer. */
const [longText, fewWords] = [40, 14]

const roomFor = (lengths: readonly number[]): string => {
  const filled = lengths.filter((length) => length > 0).sort((a, b) => a - b)
  const median = filled[Math.floor(filled.length / 2)] ?? 0
  return median > longText ? 'long' : median < fewWords ? 'few' : ''
}

import { visible } from '../base/visible.ts'
import { formPath, importPath, importsPath } from '../config/addresses.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { takeBackMilliseconds } from '../submissions/imports/import-reads.ts'
import { type Example, maxShownName, type Report } from '../transfer/import/plan.ts'
import type { ShownImport } from '../transfer/import/store.ts'
import type { Words } from '../transfer/import/time-column.ts'

/** Values of the menu of columns: whatever a column is called, it is none of the others. */
export const noColumn = 'none'
export const namedColumn = 'column '

/** How the page calls what says something about times. */
export const planWords: Words = {
  column: '“Time”',
  order: '“Dates”',
  isOff: '“No column” there',
}

const messages = (count: number): string => `${withCommas(count)} ${count === 1 ? 'message' : 'messages'}`

/** An import in a few words. */
export const stateWords = ({ state, report, added, problems }: ShownImport): string => {
  if (state === 'done') return `Imported ${messages(added)}`
  if (state === 'removed') return `Removed ${messages(added)}`
  if (state === 'removing') return `Removing ${messages(added)}`
  if (state === 'failed') return 'Not imported'
  if (problems) return 'Import'
  if (state === 'planned' && report.rows === 0) return 'No message is in this file'
  return state === 'planned' ? `Import ${messages(report.rows)}?` : `Importing ${messages(report.rows)}`
}

/** The page of an import: what it will do, how far it is, or what it has done. */
export const importBody = (
  formId: string,
  shown: ShownImport,
  now: number,
): Html => html`<section class="card import" aria-labelledby="import-heading">
<h2 id="import-heading">${stateWords(shown)}</h2>
${shown.state === 'planned' ? plan(formId, shown) : progressOrReport(formId, shown, now)}
</section>`

const plan = (formId: string, { id, report, problems, given }: ShownImport): Html => html`${
  problems &&
  html`<div class="notice failed" role="alert"><p>The file cannot be imported like this:</p><ul>${problems.map((problem) => html`<li><bdi>${visible(problem)}</bdi></li>`)}</ul></div>`
}
${report.examples.length > 0 && preview(report)}
${facts(problems ? { ...report, left: [] } : report)}
${given && timeForm(formId, id, report, given.time)}
<form method="post" action="${importPath(formId, id)}"><p class="actions">
${!problems && given && report.rows > 0 && html`<button class="primary" name="do" value="import">Import ${messages(report.rows)}</button> `}<button class="quiet" name="do" value="end">Cancel</button>
</p></form>`

/** The first five rows, with the columns that they fill, in the order of the file. */
const preview = ({ columns, examples }: Report): Html => {
  const filled = new Set(examples.flatMap(({ values }) => Object.keys(values)))
  const names = [...new Set([...columns.map(({ name }) => name).filter((name) => filled.has(name)), ...filled])]
  return html`<div class="preview" role="region" aria-label="The first ${examples.length} of the file" tabindex="0">
<table>
<thead><tr><th scope="col">Time</th>${names.map((name) => html`<th scope="col"><bdi>${visible(name)}</bdi></th>`)}</tr></thead>
<tbody>
${examples.map(
  ({
    createdAt,
    values,
  }) => html`<tr><td>${inWords(createdAt)}</td>${names.map((name) => html`<td><bdi>${visible(Object.hasOwn(values, name) ? (values[name] as string) : '')}</bdi></td>`)}</tr>
`,
)}</tbody>
</table>
</div>`
}

const separators: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

const facts = (report: Report): Html => {
  const { format, separator, columns, left, time } = report
  const renamed = columns.filter(({ renamedFrom }) => renamedFrom !== undefined)
  const examples = time ? examplesInWords(report.examples) : []
  return html`<dl class="facts">
${fact('Format', `${format.toUpperCase()}${separator === null ? '' : `, separated by ${separators[separator] ?? separator}`}`)}
${fact('Time', time ? html`from <bdi>${visible(time.column)}</bdi>${time.timeZone !== 'UTC' && `, in ${time.timeZone}`}` : 'that of each message in the file, or of the import')}
${examples.length > 0 && fact('Dates', html`${examples.map((text) => html`<bdi>${visible(text)}</bdi><br>`)}`)}
${renamed.length > 0 && fact('Same names', html`${renamed.map(({ name, renamedFrom }) => html`a second <bdi>${visible(renamedFrom ?? '')}</bdi> becomes <bdi>${visible(name)}</bdi><br>`)}`)}
${left.length > 0 && fact('Left out', html`${left.map(({ why, count }) => html`${withCommas(count)}: <bdi>${visible(why)}</bdi><br>`)}`)}
</dl>`
}

const fact = (name: string, value: string | Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`

/** `3/4/2026 14:05 is 3 April 2026, 14:05 UTC` */
const examplesInWords = (examples: readonly Example[]): string[] =>
  examples.flatMap(({ date, createdAt }) => (date === null ? [] : [`${date} is ${inWords(createdAt)}`])).slice(0, 2)

const months = 'January February March April May June July August September October November December'.split(' ')

const inWords = (iso: string): string => {
  const at = new Date(iso)
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${iso.slice(11, 16)} UTC`
}

const timeForm = (
  formId: string,
  id: string,
  { columns, time }: Report,
  given: NonNullable<ShownImport['given']>['time'],
): Html => {
  const known = [
    ...new Set([
      ...columns.map(({ name }) => name),
      ...(time ? [time.column] : []),
      ...(given.column === undefined ? [] : [given.column]),
    ]),
  ]
  const column = given.isOff ? noColumn : given.column === undefined ? '' : namedColumn + given.column
  return html`<form class="ask" method="post" action="${importPath(formId, id)}">
${labelledInput({
  name: 'date',
  label: 'Time',
  type: 'select',
  value: column,
  isOptional: true,
  hint: 'The column that says when a message came.',
  options: [
    { value: '', label: time ? `Found by its name: ${visible(time.column)}` : 'Found by its name' },
    ...known
      // One that was cut names no column.
      .filter((name) => name !== '' && name.length <= maxShownName)
      .slice(0, maxOffered)
      .map((name) => ({ value: namedColumn + name, label: visible(name) })),
    { value: noColumn, label: 'No column: all get the time of the import' },
  ],
})}
<div class="pair">
${labelledInput({
  name: 'dateFormat',
  label: 'Dates',
  type: 'select',
  value: given.order ?? '',
  isOptional: true,
  options: [
    { value: '', label: 'As the file shows' },
    { value: 'dmy', label: '3/4 is 3 April' },
    { value: 'mdy', label: '3/4 is 4 March' },
  ],
})}
${labelledInput({ name: 'timeZone', label: 'Time zone', type: 'text', value: given.timeZone, isOptional: true })}
</div>
<p class="actions"><button name="do" value="plan">Read the file again</button></p>
</form>`
}

/** More than a menu is good for. The command line takes any. */
const maxOffered = 500

const progressOrReport = (formId: string, shown: ShownImport, now: number): Html => {
  const { id, state, progress, added, finishedAt } = shown
  if (state === 'staging' || state === 'adding' || state === 'removing')
    return html`<p><progress max="1" value="${progress.toFixed(3)}" aria-label="${stateWords(shown)}"></progress> ${Math.floor(progress * 100)} %</p>
<p class="muted">You can leave this page.</p>
${state === 'staging' && html`<form method="post" action="${importPath(formId, id)}"><p class="actions"><button class="quiet" name="do" value="end">Cancel</button></p></form>`}`
  const canTakeBack = state === 'done' && added > 0 && finishedAt !== null && now - finishedAt < takeBackMilliseconds
  return html`${state === 'failed' && html`<p>It was cancelled, its form was changed, or the server was stopped. Nothing of it was stored. <a href="${importsPath(formId)}">Import a file</a></p>`}
${facts(shown.report)}
<p class="actions"><a class="button primary" href="${formPath(formId)}">See the submissions</a></p>
${
  canTakeBack &&
  html`<form method="post" action="${importPath(formId, id)}"><p>For an hour, you can take it back.</p>
<p class="actions"><button class="danger" name="do" value="end">Remove these ${withCommas(added)}</button></p></form>`
}`
}

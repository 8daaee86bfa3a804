import { dayMilliseconds } from '../durations.ts'
import type { Form } from '../forms/ownership.ts'
import { count } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { exportChoices } from './exports.ts'
import { formPath } from './form-frame.ts'
import { hiddenInputs, type ListQuery, listPath } from './list-query.ts'

interface Shown {
  readonly form: Form
  /** Submissions on these dates. */
  readonly total: number
  readonly newCount: number
  readonly now: number
  readonly listQuery: ListQuery
  /** The error in the dates. */
  readonly problem: string | undefined
}

/** The line above the list: how many submissions there are, and the menus. */
export const submissionsToolbar = (shown: Shown): Html => html`<div class="toolbar">
${shown.problem === undefined && counts(shown)}
${datesMenu(shown)}
${shown.total > 0 && exportMenu(shown)}
</div>
`

/** The number of submissions on these dates, and of new ones, with a link if those are elsewhere. */
const counts = ({ form, listQuery, total, newCount }: Shown): Html => {
  const fresh = `${count(newCount)} new${isAll(listQuery) ? '' : ' in all'}`
  const isHere = isAll(listQuery) && listQuery.page === 1
  const news = isHere ? html`<strong>${fresh}</strong>` : html`<a href="${formPath(form.id)}">${fresh}</a>`
  return html`<p><strong>${count(total)}</strong> ${plural(total)}${!isAll(listQuery) && ' on these dates'}<span data-new="${newCount}">${newCount > 0 && html`, ${news}`}</span></p>`
}

const isAll = ({ startDate, endDate }: ListQuery): boolean => startDate === '' && endDate === ''

const plural = (total: number): string => (total === 1 ? 'submission' : 'submissions')

const datesMenu = ({ form, now, listQuery, problem }: Shown): Html => {
  const preset = (name: string, days: number): Html => {
    const startDate = new Date(now - (days - 1) * dayMilliseconds).toISOString().slice(0, 10)
    const isCurrent = listQuery.startDate === startDate && listQuery.endDate === ''
    const path = listPath(form.id, 'inbox', { startDate, endDate: '', page: 1 })
    return html`<li><a href="${path}" data-days="${days}"${isCurrent && html` aria-current="true"`}>${name}</a></li>
`
  }
  return html`<details class="menu" name="menus"${problem !== undefined && html` open`}>
<summary>${isAll(listQuery) ? 'All dates' : chosenDates(listQuery)}</summary>
<form class="panel" method="get" action="${formPath(form.id)}" data-dates>
<ul class="presets" aria-label="Ranges">
${preset('Today', 1)}${preset('7 days', 7)}${preset('30 days', 30)}<li><a href="${formPath(form.id)}"${isAll(listQuery) && html` aria-current="true"`}>All dates</a></li>
</ul>
<div class="pair">
<div class="field"><label for="start">From</label><input id="start" name="startDate" type="date" value="${dayOf(listQuery.startDate)}"></div>
<div class="field"><label for="end">To</label><input id="end" name="endDate" type="date" value="${dayOf(listQuery.endDate)}"></div>
</div>
<p class="small muted">Days in <span data-local="your time zone">UTC</span></p>
<button class="primary full">Show</button>
</form>
</details>`
}

const chosenDates = ({ startDate, endDate }: ListQuery): string => {
  const [start, end] = [dayOf(startDate), dayOf(endDate)]
  // With a script, they are those of the reader, as the days in the list.
  const zone = [startDate, endDate].some((date) => /^[\d-]{10}$/.test(date)) ? ', UTC' : ''
  if (end === '') return `From ${start}${zone}`
  return start === '' ? `To ${end}${zone}` : `${start} to ${end}${zone}`
}

/** The day of a date, or of the first or last moment of a day where the reader is, as a script sends it. */
const dayOf = (date: string): string => date.replace(/T(00:00:00\.000|23:59:59\.999)[+-]\d\d:\d\d$/, '')

/** The browser stays on the page: the answer is a file. */
const exportMenu = ({ form, total, listQuery }: Shown): Html => html`<details class="menu" name="menus">
<summary>Export</summary>
<form class="panel" method="get" action="${formPath(form.id)}/export">
${hiddenInputs({ ...listQuery, page: 1 })}<fieldset>
<legend>Export ${count(total)} ${plural(total)}</legend>
${exportChoices.map(
  ({ value, name, hint }, i) =>
    html`<label class="choice"><input type="radio" name="format" value="${value}"${i === 0 && html` checked`}><span><strong>${name}</strong> <span class="hint">${hint}</span></span></label>
`,
)}</fieldset>
<button class="primary full">Download</button>
</form>
</details>`

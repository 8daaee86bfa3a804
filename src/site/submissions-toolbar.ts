import type { Form } from '../forms/ownership.ts'
import { count } from '../html/count.ts'
import { type Html, html } from '../html/html.ts'
import { exportChoices } from './export.ts'
import { formPath } from './form-frame.ts'
import { type ListPlace, placeInputs, placePath } from './list-place.ts'

interface Shown {
  readonly form: Form
  /** Submissions on these dates. */
  readonly total: number
  readonly newCount: number
  readonly now: number
  readonly place: ListPlace
}

/** Above the list: how many there are, and the menus. */
export const submissionsToolbar = (shown: Shown): Html => html`<div class="toolbar">
<p><strong>${count(shown.total)}</strong> ${plural(shown.total)}${shown.newCount > 0 && html`, <strong>${count(shown.newCount)} new</strong>`}</p>
${datesMenu(shown)}
${shown.total > 0 && exportMenu(shown)}
</div>
`

const plural = (total: number): string => (total === 1 ? 'submission' : 'submissions')

const datesMenu = ({ form, now, place }: Shown): Html => {
  const isAll = place.startDate === '' && place.endDate === ''
  const preset = (name: string, days: number): Html => {
    const startDate = new Date(now - (days - 1) * dayMilliseconds).toISOString().slice(0, 10)
    const isCurrent = place.startDate === startDate && place.endDate === ''
    const path = placePath(form.id, { startDate, endDate: '', page: 1 })
    return html`<li><a href="${path}"${isCurrent && html` aria-current="true"`}>${name}</a></li>
`
  }
  return html`<details class="menu" name="menus">
<summary>${isAll ? 'All dates' : chosenDates(place)}</summary>
<form class="panel" method="get" action="${formPath(form.id)}">
<ul class="presets" aria-label="Ranges">
${preset('Today', 1)}${preset('7 days', 7)}${preset('30 days', 30)}<li><a href="${formPath(form.id)}"${isAll && html` aria-current="true"`}>All dates</a></li>
</ul>
<div class="pair">
<div class="field"><label for="start">From</label><input id="start" name="startDate" type="date" value="${place.startDate}"></div>
<div class="field"><label for="end">To</label><input id="end" name="endDate" type="date" value="${place.endDate}"></div>
</div>
<button class="primary full">Show</button>
</form>
</details>`
}

const dayMilliseconds = 86_400_000

const chosenDates = ({ startDate, endDate }: ListPlace): string => {
  if (endDate === '') return `From ${startDate}`
  return startDate === '' ? `To ${endDate}` : `${startDate} to ${endDate}`
}

/** The browser stays on the page: the answer is a file. */
const exportMenu = ({ form, total, place }: Shown): Html => html`<details class="menu" name="menus">
<summary>Export</summary>
<form class="panel" method="get" action="${formPath(form.id)}/export">
${placeInputs({ ...place, page: 1 })}<fieldset>
<legend>Export ${count(total)} ${plural(total)}</legend>
${exportChoices.map(
  ({ value, name, hint }, i) =>
    html`<label class="choice"><input type="radio" name="format" value="${value}"${i === 0 && html` checked`}><span><strong>${name}</strong> <span class="hint">${hint}</span></span></label>
`,
)}</fieldset>
<button class="primary full">Download</button>
</form>
</details>`

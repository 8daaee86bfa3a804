import { dayMilliseconds } from '../base/durations.ts'
import { columnsPath, formPath, markReadPath, sheetsPath } from '../config/addresses.ts'
import { isEnough } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { maxColumns } from '../forms/settings/settings.ts'
import { isoDay, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { exportPanel } from './exports.ts'
import type { FormPage } from './form-frame.ts'
import { hiddenInputs, type ListQuery, listPath, type TypedDates, wholeList } from './list-query.ts'
import { exportFound, foundCount, type Searched, searchField } from './search-part.ts'
import { shorter } from './selected-submissions.ts'
import { cellText } from './summary.ts'

interface Shown extends Omit<FormPage, 'email'> {
  /** Submissions on these dates; undefined if no one has counted those of the state. */
  readonly total: number | undefined
  readonly rows: readonly unknown[]
  readonly hasDone: boolean
  readonly unreadCount: number
  readonly columns: readonly string[]
  readonly otherFields: readonly string[]
  /** Columns that were chosen and not saved. */
  readonly tooMany: readonly string[] | undefined
  readonly listQuery: ListQuery
  /** The error in the dates. */
  readonly problem: string | undefined
  readonly searched: Searched | undefined
}

/** The line above the list: how many submissions there are, and the menus. */
export const submissionsToolbar = (shown: Shown): Html => html`<div class="toolbar">
${statesNav(shown)}${shown.searched ? foundCount(shown.searched, shown.form, shown.listQuery) : shown.problem === undefined && counts(shown)}
<form id="mark-all" method="post" action="${markReadPath(shown.form.id)}" hidden></form>
${searchField(shown.form, shown.listQuery)}
${datesMenu(shown)}
${columnsMenu(shown)}
${shown.rows.length > 0 && (shown.searched ? exportFound(shown.searched, shown.form, shown.listQuery) : exportMenu(shown))}
</div>
`

/** No one sees it before a submission was done. */
const statesNav = ({ form, listQuery, hasDone }: Shown): Html | false => {
  const isHandled = listQuery.state === 'open' || listQuery.state === 'done'
  if (!hasDone && !isHandled) return false
  const choice = (state: ListQuery['state'], name: string): Html =>
    html`<li><a href="${listPath(form.id, 'inbox', { ...listQuery, state, page: 1, before: '', cursor: '' })}"${state === listQuery.state && html` aria-current="true"`}>${name}</a></li>
`
  return html`<ul class="presets states" aria-label="State">
${choice('open', 'Open')}${choice('done', 'Done')}${choice('', 'All')}</ul>
`
}

/** The number of submissions on these dates, and of unread ones. */
const counts = ({ form, listQuery, total, unreadCount }: Shown): Html => {
  const dates = isAll(listQuery) ? '' : ' on these dates'
  const all = html`<a href="${formPath(form.id)}">All ${withCommas(form.submissionCount)} ${plural(form.submissionCount)}</a>`
  if (total === undefined)
    return html`<p data-unread="${unreadCount}"><strong>${listQuery.state === 'open' ? 'Open' : 'Done'}</strong>${dates} · ${all}</p>`
  const unreadPath = listPath(form.id, 'inbox', { ...wholeList, state: 'unread' })
  if (listQuery.state === 'unread')
    return html`<p data-unread="${unreadCount}"><strong>${withCommas(total)} unread</strong>${dates}${dates && html`, <a href="${unreadPath}">${withCommas(unreadCount)} in all</a>`}${unreadCount > 0 && markAll(form)} · ${all}</p>`
  const unread = html`, <a href="${unreadPath}"><strong>${withCommas(unreadCount)} unread</strong>${dates && ' in all'}</a><span class="desk">${markAll(form)}</span>`
  return html`<p data-unread="${unreadCount}"><strong>${withCommas(total)}</strong><span class="desk"> ${plural(total)}</span>${dates}${unreadCount > 0 && unread}</p>`
}

/** The button that marks all as read; submissions that arrive meanwhile stay unread. */
const markAll = (form: Form): Html =>
  html` · <button class="as-link" form="mark-all" name="upTo" value="${form.latestId}">Mark all as read</button>`

const isAll = ({ startDate, endDate }: ListQuery): boolean => startDate === '' && endDate === ''

const plural = (total: number): string => (total === 1 ? 'submission' : 'submissions')

const allDates = ({ state, q, hasFiles }: ListQuery): ListQuery => ({ ...wholeList, state, q, hasFiles })

const datesMenu = ({ form, now, listQuery, problem }: Shown): Html => {
  const preset = (name: string, days: number | 'month'): Html => {
    const { startDate, endDate } =
      days === 'month' ? lastMonth(now) : { startDate: daysAgo(now, days - 1), endDate: '' }
    const isCurrent = listQuery.startDate === startDate && listQuery.endDate === endDate
    const path = listPath(form.id, 'inbox', { ...allDates(listQuery), startDate, endDate })
    return html`<li><a href="${path}" data-days="${days}"${isCurrent && html` aria-current="true"`}>${name}</a></li>
`
  }
  return html`<details class="menu" name="menus"${problem !== undefined && html` open`}>
<summary>${isAll(listQuery) ? shorter('All dates', 'Dates') : chosenDates(listQuery)}</summary>
<form class="panel" method="get" action="${formPath(form.id)}" data-dates>
${hiddenInputs(allDates(listQuery))}<ul class="presets" aria-label="Ranges">
${preset('Today', 1)}${preset('7 days', 7)}${preset('30 days', 30)}${preset('Last month', 'month')}<li><a href="${listPath(form.id, 'inbox', allDates(listQuery))}"${isAll(listQuery) && html` aria-current="true"`}>All dates</a></li>
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

const daysAgo = (now: number, days: number): string => isoDay(now - days * dayMilliseconds)

const lastMonth = (now: number): TypedDates => {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { startDate: isoDay(Date.UTC(year, month - 1, 1)), endDate: isoDay(Date.UTC(year, month, 0)) }
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

/** Names of fields that the menu offers. A robot may have sent any number. */
const maxOffered = 60

const columnsMenu = (shown: Shown): Html | false =>
  hasFields(shown) &&
  html`<details class="menu desk" name="menus"${shown.tooMany && html` open`}>
<summary>Columns</summary>
${columnsForm(shown)}
</details>`

/** The choice of columns below the list: there is no room above it on a phone. */
export const columnsOnPhone = (shown: Shown): Html | false =>
  hasFields(shown) &&
  html`<details class="fold phone below"${shown.tooMany && html` open`}>
<summary>Columns</summary>
${columnsForm(shown)}
</details>`

const hasFields = ({ columns, otherFields }: Shown): boolean => columns.length + otherFields.length > 0

const columnsForm = ({ form, listQuery, columns, otherFields, tooMany }: Shown): Html => {
  const chosen = tooMany ?? columns
  const box = (name: string): Html =>
    html`<label class="choice"><input type="checkbox" name="columns" value="${name}" autocomplete="off"${chosen.includes(name) && html` checked`}><bdi>${cellText(name)}</bdi></label>
`
  return html`<form class="panel" method="post" action="${columnsPath(form.id)}">
${hiddenInputs(listQuery)}<fieldset>
<legend>At most ${maxColumns}</legend>
${[...columns, ...otherFields.slice(0, maxOffered)].map(box)}</fieldset>
<button class="primary full">Show</button>
</form>`
}

const exportMenu = ({ form, role, listQuery, total }: Shown): Html => {
  const { state } = listQuery
  const which = total === undefined ? `all ${state} submissions` : `${withCommas(total)} ${state} ${plural(total)}`
  const sheets =
    isEnough(role, 'sheets') && html`<p class="small"><a href="${sheetsPath(form.id)}">Live spreadsheet</a></p>`
  return exportPanel(
    form,
    'inbox',
    `Export ${which.replace('  ', ' ')}`,
    hiddenInputs({ ...listQuery, page: 1, before: '' }),
    sheets,
  )
}

import { dayMilliseconds } from '../base/durations.ts'
import { isoDay } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { TypedDates } from './list-query.ts'

interface Menu {
  /** What is on, such as `From 2026-11-01`; undefined if nothing is. */
  readonly on: string | undefined
  readonly isOpen: boolean
  readonly body: Html
  /** Whether it has a column of its own for forms. */
  readonly isWide?: boolean
}

/** The menu of what a list leaves out. What is on stands on its button. */
export const filterMenu = ({ on, isOpen, body, isWide }: Menu): Html =>
  html`<details class="menu${on !== undefined && ' is-on'}" name="menus"${isOpen && html` open`}>
<summary>${on === undefined ? 'Filter' : html`<bdi>${on}</bdi>`}</summary>
<div class="panel${isWide && ' filters'}">
${body}</div>
</details>
`

/** What the menu asks for. The rest of a list's filter goes along as hidden inputs. */
interface AskedReceived extends TypedDates {
  readonly hasFiles: '' | 'true' | 'false'
}

interface Received {
  readonly now: number
  readonly asked: AskedReceived
  readonly action: string
  /** The rest of the filter, as hidden inputs. */
  readonly hidden: readonly Html[]
  /** The path of the list with other dates. */
  readonly pathOf: (dates: TypedDates) => string
  /** What is wrong with the dates. */
  readonly problem?: string | undefined
}

/** Within a filter: when submissions were received, and whether they have files. */
export const receivedFilter = (received: Received): Html => {
  const { now, asked, action, hidden, pathOf, problem } = received
  const preset = (name: string, { startDate, endDate }: TypedDates, days?: number | 'month'): Html => {
    const isCurrent = asked.startDate === startDate && asked.endDate === endDate
    return html`<li><a href="${pathOf({ startDate, endDate })}"${days !== undefined && html` data-days="${days}"`}${isCurrent && html` aria-current="true"`}>${name}</a></li>
`
  }
  const last = (days: number): TypedDates => ({ startDate: isoDay(now - (days - 1) * dayMilliseconds), endDate: '' })
  const input = (name: keyof TypedDates, label: string): Html =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="date" value="${dayOf(asked[name])}"${problem && html` aria-invalid="true" aria-describedby="dates-error"`}></div>
`
  return html`<div><p class="about" id="by-date">Received</p>
<ul class="items" aria-labelledby="by-date">
${preset('Any time', { startDate: '', endDate: '' })}${preset('Today', last(1), 1)}${preset('7 days', last(7), 7)}${preset('30 days', last(30), 30)}${preset('Last month', lastMonth(now), 'month')}</ul>
<form method="get" action="${action}" data-dates>
${hidden}<div class="pair">
${input('startDate', 'From')}${input('endDate', 'To')}</div>
${problem && html`<p class="error" id="dates-error">${problem}</p>`}<label class="choice"><input type="checkbox" name="hasFiles" value="true"${asked.hasFiles === 'true' && html` checked`}><span>With files only</span></label>
<button>Show</button>
</form></div>
`
}

const lastMonth = (now: number): TypedDates => {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { startDate: isoDay(Date.UTC(year, month - 1, 1)), endDate: isoDay(Date.UTC(year, month, 0)) }
}

/** What the filter shows, whenever it was received. */
export const contentWords = ({ hasFiles }: Omit<AskedReceived, keyof TypedDates>): string =>
  hasFiles === 'true' ? 'with files' : ''

/** What the filter shows, in a few words; undefined if it leaves nothing out. */
export const filterWords = ({ startDate, endDate, ...asked }: AskedReceived): string | undefined => {
  const [start, end] = [dayOf(startDate), dayOf(endDate)]
  // With a script, they are those of the reader, as the days in the list.
  const zone = [startDate, endDate].some((date) => /^[\d-]{10}$/.test(date)) ? ', UTC' : ''
  const range = start === end ? start : end === '' ? `From ${start}` : start === '' ? `To ${end}` : `${start} to ${end}`
  const words = [range && `${range}${zone}`, contentWords(asked)].filter(Boolean).join(', ')
  return words === '' ? undefined : words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** The day of a date, or of the first or last moment of a day where the reader is, as a script sends it. */
const dayOf = (date: string): string => date.replace(/T(00:00:00\.000|23:59:59\.999)[+-]\d\d:\d\d$/, '')

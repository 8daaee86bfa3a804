import { toIsoTime } from '../base/moment.ts'
import { dayHeading, dayInWords, dayNumber, rowTime, shortClock } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { type HandlingState, handlingStates, stateWords } from '../submissions/states.ts'

/** A submission in one line of a list. */
export interface ListRow {
  readonly id: string
  /** When it arrived, in Unix milliseconds. */
  readonly at: number
  /** Where its page is. */
  readonly path: string
  readonly isUnread: boolean
  readonly state: HandlingState
  readonly isTicked: boolean
  /** Who sent it; empty if nobody can be named. */
  readonly sender: string
  readonly about: string
  /** Its text; in a search the words around what was found. */
  readonly text: string | Html
  /** How a search marks what it found in the sender and in what it is about. */
  readonly mark?: ((text: string) => string | Html) | undefined
  /** Words about it, such as “2 files”. */
  readonly chips: readonly Chip[]
  /** The title of its form, in a list of several. */
  readonly of?: string | undefined
}

export interface Chip {
  readonly text: string
  readonly isBad?: boolean
}

/** What a list says of a submission beside what was sent. */
interface ChipFacts {
  readonly noteCount: number
  /** Whether someone was to be told of it in vain. */
  readonly isUndelivered: boolean
}

/** The words for these. */
export const knownChips = ({ noteCount, isUndelivered }: ChipFacts): readonly Chip[] =>
  noteCount === 0 && !isUndelivered
    ? noChips
    : [
        ...(noteCount === 0 ? [] : [{ text: noteCount === 1 ? 'Note' : `${noteCount} notes` }]),
        ...(isUndelivered ? [{ text: 'Not delivered', isBad: true }] : []),
      ]

const noChips: readonly Chip[] = []

interface Rows {
  readonly rows: readonly ListRow[]
  readonly now: number
  /** Whether days with three rows or more get a heading. */
  readonly hasDays: boolean
}

/** Rows below the headings of their days, in UTC. A script does the same with the days of the reader (see times.js). */
export const listRows = ({ rows, now, hasDays }: Rows): Html => {
  const isOfForm = rows[0]?.of !== undefined
  const groups = hasDays ? dayGroups(rows, now) : [{ rows }]
  return html`${groups.map(
    ({ heading, isDay, rows: some }) => html`${
      heading !== undefined &&
      html`<h2 class="day">${heading}</h2>
`
    }<ol class="rows${isOfForm && ' of-form'}"${hasDays && html` data-days`}>
${some.map((row) => listRow(row, isDay ? shortClock(row.at) : rowTime(row.at, now)))}</ol>
`,
  )}`
}

interface Group {
  readonly heading?: string
  /** Whether the heading names the day of its rows. */
  readonly isDay?: boolean
  readonly rows: readonly ListRow[]
}

/** Rows that a day needs for a heading of its own. */
const leastOfDay = 3

/** Days from the newest on, as long as each has enough rows; then “Earlier”. */
const dayGroups = (rows: readonly ListRow[], now: number): readonly Group[] => {
  const groups: Group[] = []
  let start = 0
  while (start < rows.length) {
    const day = dayNumber((rows[start] as ListRow).at)
    let end = start + 1
    while (end < rows.length && dayNumber((rows[end] as ListRow).at) === day) end++
    if (end - start < leastOfDay) break
    groups.push({ heading: dayHeading((rows[start] as ListRow).at, now), isDay: true, rows: rows.slice(start, end) })
    start = end
  }
  if (start === 0) return [{ rows }]
  return start === rows.length ? groups : [...groups, { heading: 'Earlier', rows: rows.slice(start) }]
}

const listRow = (row: ListRow, when: string): Html => {
  const { id, path, isUnread, state, sender, about, text, chips, of, mark = dayInWords } = row
  const name = sender || (typeof text === 'string' ? text.slice(0, 40).toWellFormed() : 'it')
  return html`<li class="row${isUnread && ' is-unread'}${stateClass(state)}${sender === '' && ' is-text'}">
<label class="check"><input type="checkbox" name="ids" value="${id}"${row.isTicked && html` checked`}><span class="visually-hidden">Select ${name}, ${when}</span></label>
<a class="to-bar" href="#picked">To the actions</a>
${of !== undefined && html`<span class="of"><bdi>${of}</bdi></span>`}<a class="open" id="${id}" href="${path}">${isUnread && unreadWord}${stateMarks[state]}<bdi>${sender === '' ? text : mark(sender)}</bdi></a>
${sender !== '' && html`<span class="gist">${about !== '' && html`<bdi class="about">${mark(about)}</bdi> `}<bdi>${row.mark || typeof text !== 'string' ? text : dayInWords(text)}</bdi></span>`}<span class="chips">${chips.map(chip)}</span>
<time datetime="${toIsoTime(row.at)}" data-format="row">${when}</time>
</li>
`
}

const unreadWord = html`<span class="visually-hidden">Unread: </span>`

/** What a row says of its state: open is how it comes. */
export const stateClass = (state: HandlingState): string | false => state !== 'open' && ` is-${state}`
export const stateMarks = Object.fromEntries(
  handlingStates.map((one) => [one, one !== 'open' && html`<span class="visually-hidden">${stateWords[one]}: </span>`]),
) as Record<HandlingState, Html | false>

export const chip = ({ text, isBad }: Chip): Html => html`<span class="chip${isBad && ' is-bad'}">${text}</span>`

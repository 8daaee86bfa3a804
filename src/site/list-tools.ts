import { creationTime, isId } from '../base/id.ts'
import type { ListPage } from '../base/list-page.ts'
import { counted, longDay, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { SearchResult } from '../submissions/search/search.ts'
import { type HandlingState, type ListedState, listedStates, stateWords } from '../submissions/states.ts'

/** One of the states that a list shows. */
export interface Segment {
  readonly name: string | null
  /** Null if no one has counted them. */
  readonly count?: number | null
  readonly path: string
  readonly isCurrent: boolean
}

interface States {
  /** What a search has found, of whatever state; absent in a list. */
  readonly found: readonly { readonly state: HandlingState }[] | undefined
  /** How many are open, in a list; null if no one has counted them. */
  readonly openCount: number | null
  readonly current: string
  readonly pathOf: (state: ListedState) => string
}

/** Those of each state, and all. */
export const stateSegments = ({ found, openCount, current, pathOf }: States): Segment[] => {
  const countOf = (state: ListedState): number | null => {
    if (!found) return state === 'open' ? openCount : null
    return state === 'all' ? found.length : found.filter((one) => one.state === state).length
  }
  return listedStates.map((state) => ({
    name: state === 'all' ? 'All' : stateWords[state],
    count: countOf(state),
    path: pathOf(state),
    isCurrent: current === state,
  }))
}

interface Tools {
  /** Leads to the list with all of its rows ticked; false if it has none. */
  readonly pick: { readonly path: string; readonly rowCount: number } | false
  readonly segments: readonly Segment[]
  /** Leads to the unread ones, or back; absent in a search. */
  readonly unread?: { readonly count: number; readonly path: string; readonly isCurrent: boolean } | undefined
  /** The field of a search, and the menus. */
  readonly rest: Html
}

export const segmentsNamed = (
  label: string,
  segments: readonly Segment[],
): Html => html`<ul class="segments" aria-label="${label}">
${segments.map(
  ({ name, count, path, isCurrent }) =>
    html`<li><a href="${path}"${isCurrent && html` aria-current="true"`}>${name}${count != null && html` <span class="count">${withCommas(count)}</span>`}</a></li>
`,
)}</ul>
`

/** The line above a list: which rows it shows. */
export const listTools = ({ pick, segments, unread, rest }: Tools): Html => html`<div class="tools">
${pick && html`<a class="pick" href="${pick.path}" data-select-all aria-label="Select these ${pick.rowCount}"></a>`}
${segmentsNamed('State', segments)}${unread && (unread.count > 0 || unread.isCurrent) && html`<a class="button unread" href="${unread.path}"${unread.isCurrent && html` aria-current="true"`}>Unread <span class="count">${withCommas(unread.count)}</span></a>`}
${rest}
</div>
`

interface Find {
  readonly action: string
  /** The rest of the filter, as hidden inputs. */
  readonly hidden: readonly Html[]
  readonly q: string
  readonly label: string
  /** Where Escape leads in an empty field; empty if that is here. */
  readonly whole: string
}

/** The field of a search. */
export const findField = ({ action, hidden, q, label, whole }: Find): Html =>
  html`<form class="finds" method="get" action="${action}" role="search">${hidden}<label class="visually-hidden" for="q">${label}</label><input class="find" id="q" name="q" type="search" placeholder="${label}" value="${q}" title="Words, &quot;a phrase&quot;, -not this, field:word" autocomplete="off" data-key="/" data-search="${whole}"></form>
`

/** The menu behind three dots. @param items of a list, each with its `li` */
export const moreMenu = (
  items: readonly (Html | false)[],
): Html => html`<details class="menu more" name="menus"><summary><span aria-hidden="true">⋯</span><span class="visually-hidden">More</span></summary>
<ul class="panel items">
${items.map((item) => item || html``)}</ul></details>
`

interface Paged extends ListPage {
  readonly total: number
}

/** `21 to 40 of 99` */
export const rowsInWords = ({ page, perPage, total }: Paged): string => {
  const first = (page - 1) * perPage + 1
  return `${withCommas(first)} to ${withCommas(Math.min(first + perPage - 1, total))} of ${withCommas(total)}`
}

/** The pages before and after one, for the end of a list. */
export const besidePage = ({ page, perPage, total }: Paged, pathOf: (page: number) => string) => ({
  newer: page > 1 ? pathOf(page - 1) : undefined,
  older: page * perPage < total ? pathOf(page + 1) : undefined,
})

/** How far a search has come, and the names of the links at the end of what it found. */
export const searchFoot = ({ searched, endedAt, next }: Pick<SearchResult, 'searched' | 'endedAt' | 'next'>) => {
  const isOver = next === null || endedAt === null || !isId(endedAt)
  const text = isOver
    ? `${counted(searched, 'submission')} searched`
    : `Searched back to ${longDay(creationTime(endedAt))}`
  return { text, names: ['From the newest', 'Continue'] as const }
}

interface Foot {
  readonly text: Html | string
  /** A paragraph beside it. */
  readonly also?: Html | false
  readonly newer?: string | undefined
  readonly older?: string | undefined
  /** The names of these links. */
  readonly names?: readonly [newer: string, older: string]
}

/** The end of a list: how many there are, and the pages before and after. */
export const listFoot = ({
  text,
  also = false,
  newer,
  older,
  names = ['Newer', 'Older'],
}: Foot): Html => html`<div class="foot">
<p>${text}<span data-local=""> Times in UTC</span></p>
${also}<nav class="actions" aria-label="Pages">
${newer !== undefined && html`<a class="button prev" href="${newer}">${names[0]}</a>`}${older !== undefined && html`<a class="button older" href="${older}">${names[1]}</a>`}
</nav>
</div>
`

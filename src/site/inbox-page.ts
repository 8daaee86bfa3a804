import { visible } from '../base/visible.ts'
import {
  accountPath,
  embedPath,
  formsPath,
  homePath,
  inboxActionsPath,
  inboxEventsPath,
  inboxReadPath,
} from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { maxInboxForms } from '../forms/lists/inbox-forms.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { withCommas } from '../html/format.ts'
import { frame, header, livePageHeaders, notice, unreadTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { deleteByDefault } from '../html/labelled-input.ts'
import type { InboxCounts, InboxPart } from '../submissions/inbox/inbox.ts'
import { contentWords, filterMenu, filterWords, receivedFilter } from './filter-menu.ts'
import {
  type Asked,
  changed,
  hiddenInputs,
  inboxExportAddress,
  inboxPath,
  isCounted,
  wholeInbox,
  withoutReceived,
} from './inbox-query.ts'
import type { TypedDates } from './list-query.ts'
import { type ListRow, listRows } from './list-rows.ts'
import { findField, listFoot, listTools, moreMenu, type Segment, stateSegments } from './list-tools.ts'
import { pickedBar, readButtons } from './picked-bar.ts'

/** Submissions on a page of the inbox. */
export const rowsPerPage = 30
/** Found submissions on a page. */
export const mostFound = 40

export interface Shown {
  readonly asked: Asked
  readonly email: string
  /** Of all forms, or of the one. */
  readonly counts: InboxCounts
  /** In all forms. */
  readonly unreadCount: number
  /** The rows of the page; in a search, those of all states. */
  readonly found: readonly ListRow[]
  readonly part: InboxPart
  readonly isSearch: boolean
  /** The rows of the page come ticked, or all that match are selected. */
  readonly select: 'page' | 'all' | undefined
  /** The one form that is shown. */
  readonly form: FormTo<'read'> | undefined
  /** In the menu of the filter. */
  readonly forms: readonly FormTo<'read'>[]
  /** Whether the user may change one of those that are shown. */
  readonly mayEdit: boolean
  /** Why nothing is shown. */
  readonly problem: string | undefined
  readonly status: number
  /** See `stateOf` of the inbox. */
  readonly state: string
  /** The newest of all submissions, so that what arrives later is not selected with all. */
  readonly newest: string
  readonly done: Html | false
  readonly now: number
}

export const inboxPage = (shown: Shown): Response => {
  const { asked, email, problem, status, unreadCount, state, isSearch, newest, done } = shown
  const title = asked.q === '' ? 'Inbox · Formbox' : `${asked.q.slice(0, 60).toWellFormed()} · Inbox · Formbox`
  return frame({
    status,
    title: unreadTitle(unreadCount, title),
    width: 'list',
    headers: livePageHeaders,
    header: header(homePath, email),
    body: html`<h1 class="visually-hidden">Inbox</h1>
${done}${problem && notice('failed', problem)}<div${!problem && html` data-live="${inboxEventsPath()}" data-ask="${accountPath()}" data-home="${homePath()}" data-state="${state}" data-unread="${unreadCount}"${isSearch && html` data-newest="${newest}"`}`} tabindex="-1">
<section class="list" aria-label="${isSearch ? 'Found' : 'Submissions'}">
${tools(shown)}${!problem && list(shown)}</section>
</div>
<p class="visually-hidden" id="arrived" role="status"></p>`,
  })
}

/** The rows of the state that is asked for. */
const rowsOf = ({ found, asked, isSearch }: Shown): readonly ListRow[] => {
  if (!isSearch) return found
  return found.filter(
    ({ state, isUnread }) => (asked.state === 'all' || state === asked.state) && (asked.unread === '' || isUnread),
  )
}

const pathWith = ({ asked }: Shown, changes: Partial<Asked>): string => inboxPath(changed(asked, changes))

const tools = (shown: Shown): Html => {
  const { asked, isSearch, counts, form } = shown
  const rows = rowsOf(shown)
  const isUnread = asked.unread === 'true'
  const label = form ? 'Search' : 'Search all forms'
  return listTools({
    pick: rows.length > 0 && { path: inboxPath(asked, { select: 'page' }), rowCount: rows.length },
    segments: segments(shown),
    unread: isSearch
      ? undefined
      : { count: counts.unread, path: pathWith(shown, { unread: isUnread ? '' : 'true' }), isCurrent: isUnread },
    rest: html`${findField({
      action: homePath(),
      hidden: hiddenInputs(changed(asked, {}), ['q', 'state', 'unread']),
      q: asked.q,
      label,
      whole: isSearch ? inboxPath({ ...wholeInbox, form: asked.form, group: asked.group }) : '',
    })}${filter(shown)}${more(shown, rows)}`,
  })
}

const segments = (shown: Shown): Segment[] => {
  const { asked, found, isSearch, counts } = shown
  return stateSegments({
    found: isSearch ? found : undefined,
    openCount: isCounted(asked) && asked.unread === '' ? counts.open : null,
    current: asked.state,
    pathOf: (state) => pathWith(shown, { state }),
  })
}

const filter = (shown: Shown): Html => {
  const { asked, form, now, problem, isSearch } = shown
  const isOfDates = problem !== undefined && !isSearch && asked.startDate + asked.endDate !== ''
  const dates = filterWords(asked)
  const words = [form ? visible(form.title) : visible(asked.group) || undefined, dates]
    .filter((word) => word !== undefined)
    .join(', ')
  return filterMenu({
    on: words === '' ? undefined : words,
    isOpen: isOfDates,
    isWide: true,
    body: html`${formsFilter(shown)}${receivedFilter({
      now,
      asked,
      action: homePath(),
      hidden: hiddenInputs(withoutReceived(asked)),
      pathOf: (typed: TypedDates) => pathWith(shown, typed),
      problem: isOfDates ? problem : undefined,
    })}`,
  })
}

const formsFilter = (shown: Shown): Html => {
  const { asked, forms, form } = shown
  const groups = new Set([asked.group, ...forms.map(({ settings }) => parseSettings(settings).group ?? '')])
  const listed = form && !forms.some(({ id }) => id === form.id) ? [form, ...forms] : forms
  const current = form?.id ?? asked.group
  const item = (which: string, name: Html | string, changes: Partial<Asked>): Html =>
    html`<li><a href="${pathWith(shown, { form: '', group: '', ...changes })}"${which === current && html` aria-current="true"`}>${name}</a></li>
`
  return html`<div><p class="about" id="by-form">Form</p>
<ul class="items" aria-labelledby="by-form">
${item('', 'All forms', {})}${[...groups].filter(Boolean).map((group) => item(group, html`<span><bdi>${visible(group)}</bdi> (group)</span>`, { group }))}${listed.map(({ id, title }) => item(id, html`<bdi>${visible(title)}</bdi>`, { form: id }))}</ul></div>
`
}

const more = (shown: Shown, rows: readonly ListRow[]): Html => {
  const { asked, counts, newest } = shown
  return moreMenu([
    counts.unread > 0 &&
      html`<li><form method="post" action="${inboxReadPath()}">${hiddenInputs(asked)}<button name="upTo" value="${newest}">Mark all as read</button></form></li>
`,
    rows.length > 0 &&
      html`<li><a href="${inboxPath(asked, { select: 'page' })}">Select these ${rows.length}</a></li>
`,
    ...(rows.length > 0 ? exportItems(shown, rows) : []),
  ])
}

const exportItems = (shown: Shown, rows: readonly ListRow[]): Html[] => {
  const total = matching(shown, rows)
  const count = total === null ? 'all that match' : withCommas(total)
  return (['csv', 'json'] as const).map(
    (format, i) =>
      html`<li${i === 0 && html` class="apart"`}><a href="${inboxExportAddress(shown.asked, format)}">Export ${count} as ${format.toUpperCase()}</a></li>
`,
  )
}

/** How many match the filter; null if no one has counted them. */
const matching = ({ asked, counts, part }: Shown, rows: readonly ListRow[]): number | null => {
  if (part.next === null && asked.cursor === '') return rows.length
  if (!isCounted(asked) || (asked.unread !== '' && asked.state !== 'all')) return null
  return asked.unread === '' ? counts[asked.state] : counts.unread
}

const list = (shown: Shown): Html => {
  const { asked, isSearch, part, select, now, newest } = shown
  const rows = rowsOf(shown)
  if (rows.length === 0) return html`${noMatch(shown)}${foot(shown, rows)}`
  const total = matching(shown, rows)
  const hasOthers = total === null ? part.next !== null || asked.cursor !== '' : total > rows.length
  const isEverything = select === 'all' && hasOthers
  const other = inboxPath(asked, { select: isEverything ? 'page' : 'all' })
  return html`<form class="selectable" method="post" action="${inboxActionsPath()}" autocomplete="off">
${hiddenInputs(asked)}${deleteByDefault}<input type="hidden" name="upTo" value="${newest}">
${listRows({ rows, now, hasDays: !isSearch })}${pickedBar({
  isEverything,
  total,
  ...(hasOthers && { other: { path: other, rowCount: rows.length } }),
  actions: actions(shown, isEverything),
})}</form>
${foot(shown, rows)}`
}

/** What can be done with the selected ones, and the key of each (see shortcuts.js). */
const actions = ({ asked, mayEdit }: Shown, isEverything: boolean): Html => {
  const isDone = asked.state === 'done'
  return html`${
    mayEdit &&
    html`<button name="action" value="${isDone ? 'open' : 'done'}" data-key="e">${isDone ? 'Open again' : 'Done'}</button>
<button name="action" value="spam" data-key="s">Spam</button>
`
  }${readButtons(isEverything, (name) => html` name="action" value="${name}"`)}${
    mayEdit &&
    html`<button class="danger" name="action" value="delete" data-key="#">Delete</button>
`
  }${exportMenu}`
}

const exportMenu = html`<details class="menu start" name="menus"><summary>Export</summary>
<ul class="panel items">
<li><button name="action" value="csv">CSV, for a spreadsheet</button></li>
<li><button name="action" value="json">JSON</button></li>
<li><button name="action" value="ndjson">JSON, one a line</button></li>
</ul></details>
`

const foot = (shown: Shown, rows: readonly ListRow[]): Html | false => {
  const { asked, part, found } = shown
  if (rows.length === 0 && asked.cursor === '' && part.next === null) return false
  const older = { ...asked, cursor: part.next ?? '', after: asked.after + found.length }
  return listFoot({
    text: footText(shown, rows),
    newer: asked.cursor === '' ? undefined : inboxPath(changed(asked, {})),
    older: part.next === null ? undefined : inboxPath(older),
  })
}

const footText = (shown: Shown, rows: readonly ListRow[]): Html => {
  const { asked, isSearch, part, found } = shown
  const cut =
    part.forms !== undefined && html` of the ${withCommas(maxInboxForms)} forms in which something arrived last`
  if (isSearch) {
    const what = asked.q === '' ? contentWords(asked) : html`for “<bdi>${asked.q.slice(0, 100).toWellFormed()}</bdi>”`
    return html`<span role="status">${withCommas(rows.length)}${part.next !== null && ' so far'} found ${what}</span> <a href="${inboxPath({ ...wholeInbox, form: asked.form, group: asked.group })}">Clear</a>${cut}`
  }
  if (found.length === 0) return html`${cut}`
  const total = matching(shown, rows)
  return html`${withCommas(asked.after + 1)}–${withCommas(asked.after + found.length)}${total !== null && ` of ${withCommas(total)}`}${cut}`
}

const noMatch = (shown: Shown): Html => {
  const { asked, counts, isSearch, part } = shown
  const [one, other] = shown.forms
  const { q, state, unread } = asked
  const isFiltered = !isCounted(asked)
  if (counts.all === 0)
    return html`<div class="empty">
<h2>Nothing yet</h2>
<p>What people send appears here.</p>
<p>${one && !other ? html`<a class="button primary" href="${embedPath(one.id)}">Get the code</a>` : html`<a class="button" href="${formsPath()}">Your forms</a>`}</p>
</div>
`
  if (isSearch)
    return html`<div class="empty">
<h2>Nothing found${part.next !== null && ' yet'}</h2>
${q !== '' && html`<p>None of ${withCommas(part.searched)}${part.next !== null && ' so far'} contains “<bdi>${q.slice(0, 100).toWellFormed()}</bdi>”.</p>`}
<p><a class="button" href="${inboxPath({ ...wholeInbox, form: asked.form, group: asked.group })}">Clear</a></p>
</div>
`
  const what = unread === 'true' ? 'Nothing is unread' : state === 'all' ? 'None' : `Nothing is ${state}`
  return html`<div class="empty">
<h2>${what}${isFiltered && ' on these dates'}${part.next !== null && ' so far'}</h2>
${!isFiltered && state === 'open' && counts.done > 0 && html`<p><a href="${pathWith(shown, { state: 'done', unread: '' })}">${counts.done === 1 ? '1 is' : `${withCommas(counts.done)} are`} done</a></p>`}
${(isFiltered || unread !== '') && html`<p><a class="button" href="${inboxPath({ ...wholeInbox, state, form: asked.form, group: asked.group })}">Clear</a></p>`}
</div>
`
}

import { visible } from '../base/visible.ts'
import {
  deleteSubmissionsPath,
  embedPath,
  formEventsPath,
  formPath,
  handlingPath,
  homePath,
  importsPath,
  leavePath,
  markReadPath,
  markSpamPath,
  peopleSettingsPath,
} from '../config/addresses.ts'
import { isEnough } from '../forms/access.ts'
import { type Form, stateOfForm } from '../forms/form.ts'
import { maxColumns } from '../forms/settings/settings.ts'
import { dayPlot } from '../html/day-plot.ts'
import { withCommas } from '../html/format.ts'
import { livePageHeaders, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { deleteByDefault } from '../html/labelled-input.ts'
import { countOfState } from '../submissions/handling.ts'
import type { TakenPlaces } from '../submissions/limits/limit-reads.ts'
import { handlingStates } from '../submissions/states.ts'
import { columnsForm } from './columns-form.ts'
import { exportItems, exportSelected } from './exports.ts'
import { filterMenu, filterWords, receivedFilter } from './filter-menu.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { waitingLine } from './held.ts'
import {
  changed,
  hiddenInputs,
  isSearch,
  type ListQuery,
  listPath,
  queryString,
  type TypedDates,
  wholeList,
  withoutReceived,
} from './list-query.ts'
import {
  besidePage,
  findField,
  listFoot,
  listTools,
  moreMenu,
  rowsInWords,
  type Segment,
  searchFoot,
  stateSegments,
} from './list-tools.ts'
import { pickedBar, readButtons } from './picked-bar.ts'
import type { Searched } from './search-part.ts'
import type { SubmissionRow } from './submissions-rows.ts'

/** Options with places of which the page says how many are given. */
export const maxPlaces = 12

/** Submissions on a page of the list. */
export const rowsPerPage = 30

export interface Shown extends FormPage {
  /** Names of the fields that have a column; none if no one has chosen any. */
  readonly columns: readonly string[]
  readonly fieldNames: () => readonly string[]
  /** Columns that were chosen and not saved. */
  readonly tooMany: readonly string[] | undefined
  /** Whether the columns are being chosen. */
  readonly isChoosing: boolean
  /** All that a search has found, or the rows of the page. */
  readonly allRows: readonly SubmissionRow[]
  readonly rows: readonly SubmissionRow[]
  readonly unreadCount: number
  /** Submissions on each of the last days, the last one today. */
  readonly counts: readonly number[]
  /** Submissions on all pages together; null if no one has counted them. */
  readonly total: number | null
  /** Where the next page begins, if they are not counted. */
  readonly next: string | null
  readonly listQuery: ListQuery
  /** Options with places, as many as a line is good for, and how many there are. */
  readonly places: { readonly first: readonly TakenPlaces[]; readonly count: number }
  /** What is wrong with the dates, or with the search. */
  readonly problem: string | undefined
  /** The status of the response. */
  readonly status: number
  readonly searched: Searched | undefined
  /** The rows of the page come ticked, or all that match are selected. */
  readonly select: 'page' | 'all' | undefined
  /** What has gone wrong with the form. */
  readonly reports: Html
  readonly done: Html | false
}

/** @param list the rows of the page */
export const submissionsPage = (shown: Shown, list: Html): Response => {
  const { form, problem, searched, done, unreadCount, tooMany, isChoosing } = shown
  const hasAny = form.submissionCount > 0
  return formFrame({
    ...shown,
    tab: 'Submissions',
    hasRows: shown.rows.length > 0,
    ...(hasAny && { end: plot(shown) }),
    body: html`${done}
${problem && notice('failed', problem)}${tooMany && notice('failed', `Choose at most ${maxColumns} columns; you chose ${tooMany.length}.`)}${shown.reports}${isChoosing && columnsForm({ ...shown, fieldNames: shown.fieldNames() })}
<div${!problem && html` data-live="${formEventsPath(form.id)}" data-home="${homePath()}" data-state="${stateOfForm(form, unreadCount)}" data-unread="${unreadCount}"${searched && html` data-newest="${form.latestId}"`}`} tabindex="-1">
${hasAny ? section(shown, list) : nothingYet(form, shown.role)}</div>
<p class="visually-hidden" id="arrived" role="status"></p>`,
    headers: livePageHeaders,
  })
}

const section = (
  shown: Shown,
  list: Html,
): Html => html`<section class="list" aria-label="${shown.searched ? 'Found' : 'Submissions'}">
${tools(shown)}${!shown.problem && (shown.rows.length === 0 ? noMatch(shown) : selectable(shown, list))}${!shown.problem && foot(shown)}</section>
`

/** The path of the list with another filter, from its first page on. */
const pathWith = ({ form, listQuery }: Shown, changes: Partial<ListQuery>): string =>
  listPath(form.id, 'inbox', changed(listQuery, changes))

/** The list as it is, with what is to be selected. */
const pathSelecting = ({ form, listQuery }: Shown, select: 'page' | 'all'): string =>
  listPath(form.id, 'inbox', listQuery, { select })

const plot = (shown: Shown): Html => {
  const { counts, now, form, listQuery } = shown
  const { startDate, endDate } = listQuery
  const isDay = (date: string): boolean => date !== ''
  const found = queryString({ ...wholeList, q: listQuery.q })
  return dayPlot({
    counts,
    now,
    // Seen from this page, which is shorter by 2 KB.
    dayPath: (day) => `${found}${found === '' ? '?' : '&'}day=${day}`,
    plotPath: (days) => listPath(form.id, 'inbox', listQuery, { plot: String(days) }),
    isShown: (day) =>
      (isDay(startDate) || isDay(endDate)) &&
      day >= (startDate || day).slice(0, 10) &&
      day <= (endDate || day).slice(0, 10),
  })
}

const tools = (shown: Shown): Html => {
  const { form, rows, listQuery, unreadCount, searched, problem } = shown
  const isUnread = listQuery.state === 'unread'
  return listTools({
    pick: rows.length > 0 && { path: pathSelecting(shown, 'page'), rowCount: rows.length },
    segments: segments(shown),
    unread: searched
      ? undefined
      : { count: unreadCount, path: pathWith(shown, { state: isUnread ? 'open' : 'unread' }), isCurrent: isUnread },
    rest: html`${findField({
      action: formPath(form.id),
      hidden: hiddenInputs(changed(listQuery, { q: '', state: '' })),
      q: listQuery.q,
      label: 'Search',
      whole: searched ? formPath(form.id) : '',
    })}${filter(shown, problem)}${more(shown)}`,
  })
}

const segments = (shown: Shown): Segment[] => {
  const { form, allRows, listQuery, searched } = shown
  const isRange = listQuery.startDate + listQuery.endDate !== ''
  return stateSegments({
    found: searched && allRows,
    openCount: isRange ? null : countOfState(form, 'open'),
    current: listQuery.state,
    pathOf: (state) => pathWith(shown, { state }),
  })
}

const filter = (shown: Shown, problem: string | undefined): Html => {
  const { form, now, listQuery, searched } = shown
  const isOfDates = problem !== undefined && !searched
  return filterMenu({
    on: filterWords(listQuery),
    isOpen: isOfDates,
    body: receivedFilter({
      now,
      asked: listQuery,
      action: formPath(form.id),
      hidden: hiddenInputs(withoutReceived(listQuery)),
      pathOf: (dates: TypedDates) => pathWith(shown, dates),
      problem: isOfDates ? problem : undefined,
    }),
  })
}

const more = (shown: Shown): Html => {
  const { form, role, rows, listQuery, unreadCount, searched } = shown
  const readAll = html`<li><form method="post" action="${markReadPath(form.id)}"><button name="upTo" value="${form.latestId}">Mark all as read</button></form></li>
`
  const item = (path: string, name: string): Html => html`<li><a href="${path}">${name}</a></li>
`
  const of = searched && searched.result.next === null ? shown.rows.length : matching(shown)
  return moreMenu([
    unreadCount > 0 && readAll,
    rows.length > 0 && item(pathSelecting(shown, 'page'), `Select these ${rows.length}`),
    item(listPath(form.id, 'inbox', listQuery, { choose: 'columns' }), 'Choose columns'),
    rows.length > 0 && exportItems(form, changed(listQuery), of),
    isEnough(role, 'sheets') && item(`${peopleSettingsPath(form.id)}#sheets`, 'Live spreadsheet'),
    isEnough(role, 'import') && item(importsPath(form.id), 'Import…'),
    role !== 'owner' &&
      html`<li class="apart"><form method="post" action="${leavePath(form.id)}"><button>Leave this form</button></form></li>
`,
  ])
}

/** How many match the filter; null if no one has counted them. */
const matching = ({ form, listQuery, total, searched, rows }: Shown): number | null => {
  const { state, startDate, endDate } = listQuery
  if (searched) return searched.result.next === null && listQuery.cursor === '' ? rows.length : null
  if (total !== null) return total
  if (startDate + endDate !== '' || state === 'all' || state === 'unread' || state === '') return null
  return countOfState(form, state)
}

const selectable = (shown: Shown, list: Html): Html => {
  const { form, role, rows, listQuery, select } = shown
  const total = matching(shown)
  const hasOthers = total === null ? newerOf(shown) !== undefined || olderOf(shown) !== undefined : total > rows.length
  const isEverything = select === 'all' && hasOthers
  const other = isEverything ? 'page' : 'all'
  const bar = pickedBar({
    isEverything,
    total,
    ...(hasOthers && { other: { path: pathSelecting(shown, other), rowCount: rows.length } }),
    actions: actions(shown, isEverything),
  })
  const action = isEnough(role, 'edit') ? deleteSubmissionsPath(form.id) : markReadPath(form.id)
  return html`<form class="selectable" id="rows" tabindex="-1" method="post" action="${action}" autocomplete="off">
${hiddenInputs(listQuery)}${deleteByDefault}<input type="hidden" name="upTo" value="${form.latestId}">
${list}${bar}</form>
`
}

/** What can be done with the selected ones, and the key of each (see shortcuts.js). */
const actions = ({ form, role, listQuery }: Shown, isEverything: boolean): Html => {
  const isEditor = isEnough(role, 'edit')
  const isDone = listQuery.state === 'done'
  return html`${
    isEditor &&
    html`<button formaction="${handlingPath(form.id)}" name="handling" value="${isDone ? 'open' : 'done'}" data-key="e">${isDone ? 'Open again' : 'Done'}</button>
<button formaction="${markSpamPath(form.id)}" data-key="s">Spam</button>
`
  }${readButtons(isEverything, (name) => html` formaction="${markReadPath(form.id)}"${name === 'unread' && html` name="unread" value="true"`}`)}${
    isEditor &&
    html`<button class="danger" formaction="${deleteSubmissionsPath(form.id)}" data-key="#">Delete</button>
`
  }${exportSelected(form)}`
}

const foot = (shown: Shown): Html =>
  listFoot({
    text: footText(shown),
    also: placesText(shown.places),
    ...(shown.searched ? searchFoot(shown.searched.result) : shown.total === null && { names: ['Newest', 'Older'] }),
    newer: newerOf(shown),
    older: olderOf(shown),
  })

/** `Morning 68 of 70, Night full` */
const placesText = ({ first, count: all }: Shown['places']): Html | false => {
  const more = all - first.length
  const shown = first.map(({ option, taken, most }, i) => {
    const count =
      taken === most ? 'full' : taken === null ? 'being counted' : `${withCommas(taken)} of ${withCommas(most)}`
    return html`${i > 0 && ', '}<bdi>${visible(option)}</bdi> ${count}`
  })
  return (
    first.length > 0 &&
    html`<p>${shown}${more > 0 && `, and ${withCommas(more)} more`}</p>
`
  )
}

const footText = ({ form, listQuery, total }: Shown): string => {
  const isRange = listQuery.startDate + listQuery.endDate !== ''
  if (total !== null && (total > rowsPerPage || isRange || listQuery.state === 'unread'))
    return total === 0 ? '' : rowsInWords({ page: listQuery.page, perPage: rowsPerPage, total })
  if (isRange) return ''
  return handlingStates.map((state) => `${withCommas(countOfState(form, state))} ${state}`).join(', ')
}

const newerOf = ({ form, listQuery, searched, total }: Shown): string | undefined => {
  const { page, before, cursor } = listQuery
  const at = (changes: Partial<ListQuery>): string => listPath(form.id, 'inbox', { ...listQuery, ...changes })
  if (searched) return cursor === '' ? undefined : at({ cursor: '' })
  if (total === null) return before === '' ? undefined : at({ before: '' })
  return besidePage({ page, perPage: rowsPerPage, total }, (to) => at({ page: to })).newer
}

const olderOf = ({ form, listQuery, searched, total, next }: Shown): string | undefined => {
  const at = (changes: Partial<ListQuery>): string => listPath(form.id, 'inbox', { ...listQuery, ...changes })
  if (searched) return next === null ? undefined : at({ cursor: next })
  if (total === null) return next === null ? undefined : at({ before: next })
  return besidePage({ page: listQuery.page, perPage: rowsPerPage, total }, (page) => at({ page })).older
}

const nothingYet = (form: Form, role: Shown['role']): Html => html`<section class="list"><div class="empty">
<h2>Nothing yet</h2>
${waitingLine(form)}<p>What people send appears here. Put its code on your page, or send a test to see how it looks.</p>
<p><a class="button primary" href="${embedPath(form.id)}">Get the code</a></p>
${isEnough(role, 'import') && html`<p><a href="${importsPath(form.id)}">Import from another service…</a></p>`}
${role !== 'owner' && html`<form method="post" action="${leavePath(form.id)}"><button class="as-link">Leave this form</button></form>`}
</div></section>
`

const noMatch = ({ form, listQuery, searched, allRows }: Shown): Html => {
  const { q, state, startDate, endDate } = listQuery
  const isFiltered = isSearch(listQuery) || startDate + endDate !== ''
  const yet = searched && searched.result.next !== null ? ' yet' : ''
  const what = state === 'all' || state === '' ? 'None' : `Nothing is ${state}`
  return html`<div class="empty">
<h2>${searched && allRows.length === 0 ? `Nothing found${yet}` : what}${isFiltered && !searched && ' on these dates'}</h2>
${q !== '' && html`<p>None of ${withCommas(form.submissionCount)} contains “<bdi>${q.slice(0, 256).toWellFormed()}</bdi>”.</p>`}
<p><a class="button" href="${listPath(form.id, 'inbox', isFiltered ? wholeList : { ...wholeList, state: 'all' })}">${isFiltered ? 'Clear' : 'All submissions'}</a></p>
</div>
`
}

import type { MemberStore } from '../accounts/members/store.ts'
import { dayMilliseconds } from '../base/durations.ts'
import { AppError } from '../base/errors.ts'
import type { ListPage } from '../base/list-page.ts'
import {
  columnsPath,
  deleteSubmissionsPath,
  embedPath,
  formEventsPath,
  formPath,
  handlingPath,
  homePath,
  markReadPath,
  markSpamPath,
  settingsPath,
} from '../config/addresses.ts'
import { type FormAccess, type FormTo, isEnough } from '../forms/access.ts'
import type { ReadFieldNames } from '../forms/field-names.ts'
import type { Form } from '../forms/form.ts'
import type { RecentOrigin, RecentOrigins } from '../forms/settings/origins.ts'
import { maxColumns, parseSettings } from '../forms/settings/settings.ts'
import { shortDay, withCommas } from '../html/format.ts'
import { livePageHeaders, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pageLink, readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import type { activityReader } from '../submissions/activity.ts'
import { type DateRange, ReversedDates } from '../submissions/date-range.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { HandlingReads } from '../submissions/handling.ts'
import type { SearchResult, SubmissionSearch } from '../submissions/search/search.ts'
import type { stateReader } from '../submissions/states.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import type { UnreadReads } from '../submissions/unread.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { hasUndelivered, undeliveredLine } from './deliveries.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { type ListQuery, listPath, rangeOf, type TypedDates, toListQuery } from './list-query.ts'
import { stateOf } from './live.ts'
import type { PageAccess } from './page-access.ts'
import { ignoredText, lostText, refusedText } from './recent-origins.ts'
import { nothingFound, type RefusedSearch, type Searched, searchedTo, searchFor } from './search-part.ts'
import { doneNotice, inboxSentences, numberedPages, perPage, selectableList, shorter } from './selected-submissions.ts'
import { smallPlot, total as totalOf } from './small-plot.ts'
import { inTurns, type SubmissionRow, submissionsTable } from './submissions-table.ts'
import { columnsOnPhone, submissionsToolbar } from './submissions-toolbar.ts'
import { firstFields } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** Columns of a form whose owner has chosen none. */
const firstColumns = 4

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly readFieldNames: ReadFieldNames
  readonly members: Pick<MemberStore, 'findColumns' | 'chooseColumns'>
  readonly submissions: SubmissionStore
  readonly unreadReads: UnreadReads
  readonly handlingReads: HandlingReads
  readonly ofState: ReturnType<typeof stateReader>
  readonly countByDay: ReturnType<typeof activityReader>
  readonly deliveries: DeliveryStore
  readonly searches: SubmissionSearch
  readonly sessions: BrowserSessions
  readonly refusedOrigins: Pick<RecentOrigins, 'list'>
  readonly ignoredNext: Pick<RecentOrigins, 'list'>
  readonly lostMessages: Pick<RecentOrigins, 'list'>
  readonly now: () => number
}

/** `/forms/:formId`: lists the submissions of a form. */
export const submissionsRoutes = (options: Options) => {
  const { userAction, userPage } = options.pages
  const {
    access,
    readFieldNames,
    members,
    submissions,
    deliveries,
    searches,
    sessions,
    refusedOrigins,
    ignoredNext,
    lostMessages,
    now,
  } = options
  const { unreadReads, handlingReads, ofState, countByDay } = options
  const undelivered = (form: FormTo<'deliver'>): Html | false => {
    const failures = deliveries.findFailures(form)
    return undeliveredLine(form.id, failures, hasUndelivered(failures) ? deliveries.findWorst(form) : undefined)
  }
  const fieldNamesOf = (form: Form): readonly string[] => JSON.parse(readFieldNames(form) ?? '[]')

  const listPart = (
    userId: string,
    form: FormTo<'read'>,
    listQuery: ListQuery,
    range: DateRange | undefined,
    searched: Searched | undefined,
  ) => {
    // With a range that is wrong, the page shows why, and no submissions.
    if (!range) return { ...nothing(form), page: 1, next: null }
    if (searched) return { ...searched.result, total: undefined, page: 1 }
    const { state, before, page } = listQuery
    if (state === 'open' || state === 'done') {
      const found = submissions.listHandled(form, state, { before, limit: perPage }, range)
      return { ...found, total: undefined, page: 1 }
    }
    const list = (of: ListPage) =>
      state === 'unread'
        ? submissions.listUnread(form, userId, of, range)
        : submissions.listSubmissions(form, 'inbox', of, range)
    return { ...readPage(String(page), perPage, list), next: null }
  }

  /** @param foundFields those of each submission that a search has found */
  const rowsOf = (
    userId: string,
    form: FormTo<'read'>,
    found: FoundSubmissions,
    foundFields: Awaited<ReturnType<typeof fieldsOf>> | undefined,
  ) => {
    const ids = found.submissions.map(({ id }) => id)
    const { unread, unreadCount } = unreadReads.findUnreadOf(form, userId, ids)
    const hasDone = handlingReads.hasDone(form)
    const done = new Set(hasDone ? ofState(form, userId, 'done', ids) : [])
    const rows = found.submissions.map((submission, position) => ({
      id: submission.id,
      isUnread: unread.has(submission.id),
      isDone: done.has(submission.id),
      ...(foundFields?.[position] ?? firstFields(found, submission)),
    }))
    return { rows, unreadCount, hasDone }
  }

  /** What has gone wrong with the form, for those who may mend it. */
  const reportsFor = (userId: string, form: FormTo<'read'>) => {
    const mayConfigure = access.mayDo(userId, form, 'configure')
    return {
      undelivered: access.mayDo(userId, form, 'deliver') && undelivered(form),
      refused: mayConfigure ? refusedOrigins.list(form) : [],
      ignored: mayConfigure ? ignoredNext.list(form) : [],
      lost: mayConfigure ? lostMessages.list(form) : [],
    }
  }

  const on = {
    /** @param tooMany columns that were chosen and not saved */
    async show(visit: UserVisit<FormParams>, tooMany?: readonly string[]): Promise<Response> {
      const { session, params, query } = visit
      const { userId, email } = session
      const listQuery = toListQuery(query)
      const range = tryRange(listQuery)
      const isLive = (): boolean => sessions.isLive(session)
      const search =
        range.state === 'refused'
          ? range
          : await searchFor({ searches, list: 'inbox', isLive }, visit, listQuery, range.dates)
      const refused = search?.state === 'refused' ? search : undefined
      const searched = search?.state === 'found' ? search : undefined
      const foundFields = searched && (await fieldsOf(searched.result))
      // After the search: what follows reads the state of one moment.
      const form = access.findFormTo('read', userId, params.formId)
      const days = countByDay(form, now())
      const shown = listPart(
        userId,
        form,
        listQuery,
        refused || range.state === 'refused' ? undefined : range.dates,
        searched,
      )
      const page = {
        formId: form.id,
        terms: searched?.terms ?? [],
        email,
        role: access.roleOf(userId, form),
        form,
        tooMany,
        ...columnsOf(form, fieldNamesOf(form), members.findColumns(userId, form)),
        ...rowsOf(userId, form, shown, foundFields),
        ...reportsFor(userId, form),
        countByDay: days,
        now: now(),
        total: shown.total,
        next: shown.next,
        listQuery: { ...listQuery, page: shown.page },
        problem: refused?.problem,
        status: tooMany ? 400 : (refused?.status ?? 200),
        searched,
        isAllSelected: query.select === 'all',
        done: doneNotice(query, { ...listQuery, page: shown.page }, () => inboxSentences(form)),
      }
      return submissionsPage(page, await submissionsTable(page))
    },

    /** Saves which fields the list has columns for. */
    async chooseColumns(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const columns = [...new Set(sent.getAll('columns'))]
      if (columns.length > maxColumns) return on.show({ ...visit, query: Object.fromEntries(sent) }, columns)
      await members.chooseColumns(session.userId, params.formId, columns.length === 0 ? null : columns)
      return redirect(listPath(params.formId, 'inbox', toListQuery(Object.fromEntries(sent))))
    },
  }

  return [userPage(formPath, (visit) => on.show(visit)), userAction(columnsPath, formPath, on.chooseColumns)]
}

/** The fields in the rows of a search, read in turns. A submission that was deleted since it was found has none. */
const fieldsOf = (found: SearchResult) => inTurns(found.submissions, (submission) => firstFields(found, submission))

/** The columns of the list, and further fields that it could have. @param own those that the reader has chosen */
const columnsOf = (form: Form, fieldNames: readonly string[], own: readonly string[] | null) => {
  const columns = own ?? parseSettings(form.settings).columns ?? fieldNames.slice(0, firstColumns)
  return { columns, otherFields: fieldNames.filter((name) => !columns.includes(name)) }
}

const nothing = ({ id }: Form) => ({ formId: id, submissions: [], total: 0, readPiece: () => undefined })

const tryRange = (dates: TypedDates): { readonly state: 'range'; readonly dates: DateRange } | RefusedSearch => {
  try {
    return { state: 'range', dates: rangeOf(dates) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isReversed = error instanceof ReversedDates
    const problem = isReversed ? '“From” must not be after “To”.' : 'Dates must be like 2026-12-31.'
    return { state: 'refused', problem, status: 400 }
  }
}

interface Shown extends FormPage {
  /** See `submissionsTable`. */
  readonly columns: readonly string[]
  readonly otherFields: readonly string[]
  readonly tooMany: readonly string[] | undefined
  readonly rows: readonly SubmissionRow[]
  readonly unreadCount: number
  /** Says that deliveries have failed. */
  readonly undelivered: Html | false
  /** Pages that may not send to the form. */
  readonly refused: readonly RecentOrigin[]
  readonly ignored: readonly RecentOrigin[]
  readonly lost: readonly RecentOrigin[]
  /** Submissions on each of the last days, the last one today. */
  readonly countByDay: readonly number[]
  /** Submissions on all pages together; undefined if no one has counted them. */
  readonly total: number | undefined
  /** Where the next page begins, if they are not counted. */
  readonly next: string | null
  readonly hasDone: boolean
  readonly listQuery: ListQuery
  /** The error in the dates. */
  readonly problem: string | undefined
  /** The status of the response. */
  readonly status: number
  readonly searched: Searched | undefined
  readonly isAllSelected: boolean
  readonly done: Html | false
}

const submissionsPage = (shown: Shown, table: Html): Response => {
  const { email, role, form, countByDay, now, problem, status, searched, done, undelivered, unreadCount } = shown
  const { refused, ignored, lost, tooMany } = shown
  return formFrame({
    form,
    email,
    tab: 'Submissions',
    role,
    now,
    status,
    ...(form.submissionCount > 0 && { end: plot(countByDay, now) }),
    body: html`${done}
${problem && notice('failed', problem)}${tooMany && notice('failed', `Choose at most ${maxColumns} columns; you chose ${tooMany.length}.`)}${undelivered}${lost.length > 0 && lostLine(form.id, lost)}${refused.length > 0 && refusedLine(form.id, refused)}${ignored.length > 0 && ignoredLine(form.id, ignored)}
<div${!problem && html` data-live="${formEventsPath(form.id)}" data-home="${homePath()}" data-state="${stateOf(form, unreadCount)}"${searched && html` data-newest="${form.latestId}"`} tabindex="-1"`}>
${form.submissionCount > 0 && submissionsToolbar(shown)}
${!problem && list(shown, table)}${!problem && shown.rows.length > 0 && columnsOnPhone(shown)}
</div>
<p class="visually-hidden" id="arrived" role="status"></p>`,
    headers: livePageHeaders,
    unreadCount,
  })
}

const plot = (countByDay: readonly number[], now: number): Html => html`<figure class="plot">
${smallPlot(countByDay, now)}
<figcaption><span>${shortDay(now - (countByDay.length - 1) * dayMilliseconds)}</span><span>${withCommas(totalOf(countByDay))} in ${countByDay.length} days</span><span>${shortDay(now)}</span></figcaption>
</figure>`

/** Tells the owner that pages sent messages that no one will ever read. */
const lostLine = (formId: string, lost: readonly RecentOrigin[]): Html =>
  html`<p class="notice failed">${lostText(formId, lost)} <a href="${embedPath(formId)}">See the HTML of the form</a></p>`

/** Tells the owner that pages tried to send to the form and were refused. */
const refusedLine = (formId: string, refused: readonly RecentOrigin[]): Html =>
  html`<p class="notice failed">${refusedText(refused)} <a href="${settingsPath(formId)}#collecting">See which pages may send</a></p>`

/** Tells the owner that pages of the form send a `_next` that has no effect. */
const ignoredLine = (formId: string, ignored: readonly RecentOrigin[]): Html =>
  html`<p class="notice">${ignoredText(ignored)} <a href="${settingsPath(formId)}#general">Set the return address</a></p>`

const list = (shown: Shown, table: Html): Html => {
  const { form, rows, listQuery, isAllSelected, hasDone, searched, role } = shown
  const mayEdit = isEnough(role, 'edit')
  if (form.submissionCount === 0) return nothingYet(form.id)
  if (rows.length === 0) return searched ? nothingFound(searched, form, listQuery) : noMatch(shown)
  return selectableList({
    formId: form.id,
    list: 'inbox',
    listQuery,
    table,
    rowCount: rows.length,
    pages: searched ? searchedTo(searched, form, listQuery) : pagesOf(shown),
    isAllSelected,
    action: (mayEdit ? deleteSubmissionsPath : markReadPath)(form.id),
    buttons: html`${
      rows.some(({ isUnread }) => isUnread) &&
      html`<button formaction="${markReadPath(form.id)}">${shorter('Mark as read', 'Read')}</button>
`
    }${
      mayEdit &&
      html`<button formaction="${markSpamPath(form.id)}">${shorter('Mark as spam', 'Spam')}</button>
${hasDone && handlingButton(handlingPath(form.id), listQuery)}<button class="danger">Delete</button>`
    }`,
  })
}

const handlingButton = (path: string, { state }: ListQuery): Html =>
  state === 'done'
    ? html`<button formaction="${path}" name="handling" value="open">${shorter('Open again', 'Reopen')}</button>
`
    : html`<button formaction="${path}" name="handling" value="done">${shorter('Mark as done', 'Done')}</button>
`

const pagesOf = ({ form, listQuery, total, next }: Shown): Html | false => {
  if (total !== undefined) return numberedPages(form.id, 'inbox', listQuery, total)
  const at = (before: string): string => listPath(form.id, 'inbox', { ...listQuery, before })
  if (listQuery.before === '' && next === null) return false
  return html`<nav class="pages" aria-label="Pages">
${pageLink('newer', 'Newest', listQuery.before !== '' && at(''))}
${pageLink('older', 'Older', next !== null && at(next))}
</nav>`
}

const nothingYet = (formId: string): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">Nothing yet</h2>
<p>What people send appears here. Put the form’s snippet on your page, or send a test to see how it looks.</p>
<p class="next"><a class="button primary" href="${embedPath(formId)}">Get the snippet</a></p>
</section>`

const noMatch = (shown: Shown): Html => {
  const { form, listQuery } = shown
  const { startDate, endDate, state } = listQuery
  const dates = startDate + endDate === '' ? '' : ' on these dates'
  return html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">${state === '' ? 'None' : `Nothing ${state}`}${dates}</h2>
<p class="next"><a class="button" href="${formPath(form.id)}">${state === '' ? 'All dates' : 'All submissions'}</a></p>
</section>
${pagesOf(shown)}`
}

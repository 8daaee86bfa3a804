import { AppError } from '../base/errors.ts'
import { inTurns } from '../base/in-turns.ts'
import type { ListPage } from '../base/list-page.ts'
import { columnsPath, embedPath, formPath, visitorSettingsPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { RecentOrigin } from '../forms/settings/origins.ts'
import { maxColumns, parseSettings } from '../forms/settings/settings.ts'
import { plotDays } from '../html/day-plot.ts'
import { type Html, html } from '../html/html.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { defineCookie } from '../http/cookies.ts'
import { countIdsByDay } from '../submissions/activity.ts'
import { type DateRange, ReversedDates } from '../submissions/date-range.ts'
import { isAllOpen } from '../submissions/handling.ts'
import { firstFields } from '../submissions/lines.ts'
import type { SearchResult } from '../submissions/search/search.ts'
import { type ListedState, listedStates } from '../submissions/states.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import { isSearch, type ListQuery, listPath, queryString, rangeOf, type TypedDates, toListQuery } from './list-query.ts'
import { knownChips } from './list-rows.ts'
import type { PageOptions } from './page-options.ts'
import { ignoredText, lostText, refusedText } from './recent-origins.ts'
import { type RefusedSearch, searchFor } from './search-part.ts'
import { doneNotice, inboxSentences } from './selected-submissions.ts'
import { maxPlaces, rowsPerPage, type Shown, submissionsPage } from './submissions-page.ts'
import { type SubmissionRow, submissionRows } from './submissions-rows.ts'
import { submissionsTable } from './submissions-table.ts'
import { undeliveredLine } from './undelivered-line.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** `/forms/:formId`: lists the submissions of a form. */
export const submissionsRoutes = (options: PageOptions) => {
  const { formPage, userAction, userPage } = options.pages
  const { access, readFieldNames, members, submissions, deliveries, refusedOrigins, ignoredNext, lostMessages, now } =
    options
  const { unreadReads, handlingReads, countByDay } = options
  const lastState = defineCookie({
    name: 'formbox_list',
    shape: new RegExp(`^(?:${listedStates.join('|')})$`),
    lifetimeSeconds: 365 * 86_400,
    publicUrl: options.config.publicUrl,
  })
  const failedIn = (userId: string, form: FormTo<'read'>, ids: readonly string[]): ReadonlySet<string> =>
    access.mayDo(userId, form, 'deliver') && deliveries.findFailures(form).failed > 0
      ? deliveries.failedAmong(form, ids)
      : none
  const fieldNamesOf = (form: Form): readonly string[] => JSON.parse(readFieldNames(form) ?? '[]')

  const listPart = (userId: string, form: FormTo<'read'>, listQuery: ListQuery, range: DateRange) => {
    const { state, before, page } = listQuery
    if (state !== 'all' && state !== 'unread' && state !== '') {
      const found = submissions.listHandled(form, state, { before, limit: rowsPerPage }, range)
      return { ...found, total: null, page: 1 }
    }
    const list = (of: ListPage) =>
      state === 'unread'
        ? submissions.listUnread(form, userId, of, range)
        : submissions.listSubmissions(form, 'inbox', of, range)
    return { ...readPage(String(page), rowsPerPage, list), next: null }
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
    const states = isAllOpen(form) ? undefined : handlingReads.statesAmong(form, ids)
    const noteCounts = submissions.countNotes(form, ids)
    const failed = failedIn(userId, form, ids)
    const rows = found.submissions.map((submission, position) => ({
      id: submission.id,
      isUnread: unread.has(submission.id),
      state: states?.get(submission.id) ?? 'open',
      chips: knownChips({ noteCount: noteCounts[submission.id] ?? 0, isUndelivered: failed.has(submission.id) }),
      ...(foundFields?.[position] ?? firstFields(found, submission)),
    }))
    return { rows, unreadCount }
  }

  /** What has gone wrong with the form, for those who may mend it. */
  const reportsFor = (userId: string, form: FormTo<'read'>): Html => {
    const mayConfigure = access.mayDo(userId, form, 'configure')
    const lost = mayConfigure ? lostMessages.list(form) : []
    const refused = mayConfigure ? refusedOrigins.list(form) : []
    const ignored = mayConfigure ? ignoredNext.list(form) : []
    return html`${access.mayDo(userId, form, 'deliver') && undeliveredLine(deliveries, form)}${lost.length > 0 && lostLine(form.id, lost)}${refused.length > 0 && refusedLine(form.id, refused)}${ignored.length > 0 && ignoredLine(form.id, ignored)}`
  }

  /** The state that the address names; else, in a search all, and in a list the one that was chosen last. */
  const withState = (request: Request, listQuery: ListQuery): ListQuery => {
    if (listQuery.state !== '') return listQuery
    const remembered = isSearch(listQuery) ? 'all' : (lastState.read(request) as ListedState | undefined)
    return { ...listQuery, state: remembered ?? 'open' }
  }

  const on = {
    /** @param tooMany columns that were chosen and not saved */
    async show(visit: UserVisit<FormParams>, tooMany?: readonly string[]): Promise<Response> {
      const { session, request, params, query } = visit
      const { userId } = session
      const listQuery = withState(request, ofDay(query, toListQuery(query)))
      const range = tryRange(listQuery)
      // All that it finds, of whatever state: the segments count them.
      const search =
        range.state === 'refused'
          ? range
          : await searchFor(options, 'inbox', visit, { ...listQuery, state: 'all' }, range.dates)
      const problem = search?.state === 'refused' ? search : undefined
      const searched = search?.state === 'found' ? search : undefined
      const foundFields = searched && (await fieldsOf(searched.result))
      // After the search: what follows reads the state of one moment.
      const form = access.findFormTo('read', userId, params.formId)
      // All are open, and counted.
      const asked =
        isAllOpen(form) && listQuery.state === 'open' ? ({ ...listQuery, state: 'all' } as const) : listQuery
      const shown =
        problem || range.state === 'refused'
          ? { ...nothing(form), page: 1, next: null }
          : searched
            ? { ...searched.result, total: null, page: 1 }
            : listPart(userId, form, asked, range.dates)
      const { rows, unreadCount } = rowsOf(userId, form, shown, foundFields)
      const page = {
        ...formPage(session, form),
        tooMany,
        columns: members.findColumns(userId, form) ?? parseSettings(form.settings).columns ?? [],
        fieldNames: () => fieldNamesOf(form),
        allRows: rows,
        rows: searched ? rows.filter(isOfState(listQuery.state)) : rows,
        unreadCount,
        counts: countsFor(form, visit, searched && shown),
        total: shown.total,
        next: shown.next,
        listQuery: { ...listQuery, page: shown.page },
        places: submissions.placesTaken(form, searched ? 0 : maxPlaces),
        problem: problem?.problem,
        status: tooMany ? 400 : (problem?.status ?? 200),
        searched,
        select: query.select === 'page' || query.select === 'all' ? query.select : undefined,
        isChoosing: tooMany !== undefined || query.choose !== undefined,
        reports: reportsFor(userId, form),
        done: doneNotice(query, { ...listQuery, page: shown.page }, () => inboxSentences(form)),
      } as const
      const response = submissionsPage(page, await listOf(page))
      const { state } = toListQuery(query)
      if (state !== '' && state !== 'unread' && !searched && state !== (lastState.read(request) ?? 'open'))
        response.headers.append('set-cookie', lastState.set(request, state))
      return response
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

  /** Submissions on each day of the plot: those of the form, or those that a search found. */
  const countsFor = (form: FormTo<'read'>, { query }: UserVisit, found: FoundSubmissions | undefined) => {
    const days = plotDays.find((number) => String(number) === query.plot) ?? 30
    if (!found) return countByDay(form, now(), Math.max(days, 30)).slice(-days)
    return countIdsByDay(
      found.submissions.map(({ id }) => id),
      now(),
      days,
    )
  }

  return [userPage(formPath, (visit) => on.show(visit)), userAction(columnsPath, formPath, on.chooseColumns)]
}

const none: ReadonlySet<string> = new Set()

/** The fields in the rows of a search, read in turns. A submission that was deleted since it was found has none. */
const fieldsOf = (found: SearchResult) => inTurns(found.submissions, (submission) => firstFields(found, submission))

/** A bar of the plot names its day alone: it leads to all that came on it. */
const ofDay = ({ day }: UserVisit['query'], listQuery: ListQuery): ListQuery =>
  typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day)
    ? { ...listQuery, state: 'all', startDate: day, endDate: day }
    : listQuery

const isOfState =
  (state: ListQuery['state']) =>
  (row: SubmissionRow): boolean =>
    state === 'unread' ? row.isUnread : state === 'all' || state === '' || row.state === state

/** The rows, with the columns that were chosen if there are any. */
const listOf = ({ form, columns, rows, listQuery, unreadCount, now, select, searched }: Shown): Promise<Html> => {
  const shown = {
    formId: form.id,
    form,
    rows,
    query: queryString(listQuery, listQuery.state === 'unread' ? { of: String(unreadCount) } : {}),
    now,
    isTicked: select !== undefined,
    terms: searched?.terms ?? [],
  }
  return columns.length > 0 ? submissionsTable({ ...shown, columns }) : submissionRows(shown)
}

const nothing = ({ id }: Form) => ({ formId: id, submissions: [], total: null, readPiece: () => undefined })

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

/** Tells the owner that pages sent messages that no one will ever read. */
const lostLine = (formId: string, lost: readonly RecentOrigin[]): Html =>
  report(true, lostText(formId, lost), embedPath(formId), 'See the HTML of the form')

/** Tells the owner that pages tried to send to the form and were refused. */
const refusedLine = (formId: string, refused: readonly RecentOrigin[]): Html =>
  report(true, refusedText(refused), `${visitorSettingsPath(formId)}#sites`, 'See which pages may send')

/** Tells the owner that pages of the form send a `_next` that has no effect. */
const ignoredLine = (formId: string, ignored: readonly RecentOrigin[]): Html =>
  report(false, ignoredText(ignored), `${visitorSettingsPath(formId)}#returnUrl`, 'Set the return address')

const report = (isFailure: boolean, text: Html, path: string, name: string): Html =>
  html`<div class="notice${isFailure && ' failed'}"><p>${text}</p><a href="${path}">${name}</a></div>
`

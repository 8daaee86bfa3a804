import type { DeliveryStore } from '../deliveries/store.ts'
import { dayMilliseconds } from '../durations.ts'
import { AppError } from '../errors.ts'
import type { RefusedOrigin, RefusedOrigins } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import { count, days, shortDay } from '../html/format.ts'
import { notice, pageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { isId } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import type { DateRange } from '../submissions/date-range.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { type Undelivered, undeliveredLine } from './deliveries.ts'
import { formFrame, formPath, refusedText, settingsPath } from './form-frame.ts'
import { type ListQuery, listPath, rangeOf, type TypedDates, toListQuery, wholeList } from './list-query.ts'
import { eventsPath, stateOf } from './live.ts'
import {
  askAbout,
  countFound,
  doneNotice,
  doneTo,
  perPage,
  selectableList,
  selectedIds,
} from './selected-submissions.ts'
import { smallPlot, total as totalOf } from './small-plot.ts'
import { type SubmissionRow, submissionsTable } from './submissions-table.ts'
import { submissionsToolbar } from './submissions-toolbar.ts'
import { firstFields } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** Columns of a form whose owner has chosen none. */
const firstColumns = 4

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly deliveries: DeliveryStore
  readonly refusedOrigins: Pick<RefusedOrigins, 'list'>
  readonly now: () => number
}

/** `/forms/:formId`: lists the submissions of a form, and deletes those that are selected or marks them as spam. */
export const submissionsHandlers = ({ forms, submissions, deliveries, refusedOrigins, now }: Options) => {
  const columnsOf = (form: Form): readonly string[] => {
    const { columns } = parseSettings(form.settings)
    return columns ?? (JSON.parse(forms.readFieldNames(form) ?? '[]') as string[]).slice(0, firstColumns)
  }

  const listIn = (state: ListQuery['state'], userId: string, id: string, page: ListPage, range: DateRange) =>
    state === 'unread'
      ? submissions.listUnread(userId, id, page, range)
      : submissions.listSubmissions(userId, id, 'inbox', page, range)

  const askTo = (what: 'delete' | 'markSpam', { session, params, form: sent }: UserSent<FormParams>): Response => {
    const form = forms.findForm(session.userId, params.formId)
    const listQuery = toListQuery(Object.fromEntries(sent))
    const action = `${formPath(form.id)}/submissions/${what === 'delete' ? 'delete' : 'spam'}`
    return askAbout({ submissions, session, form, list: 'inbox', listQuery, ids: selectedIds(sent), what, action })
  }

  return {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId, email } = session
      const form = forms.findForm(userId, params.formId)
      const listQuery = toListQuery(query)
      const range = tryRange(listQuery)
      const countByDay = submissions.countByDay(form, now())
      // With a range that is wrong, the page shows why, and no submissions.
      const shown = readPage(query.page, perPage, (page) =>
        'problem' in range ? none(form) : listIn(listQuery.state, userId, form.id, page, range),
      )
      const ids = shown.submissions.map(([id]) => id)
      const unread = submissions.unreadAmong(form, userId, ids)
      return submissionsPage({
        email,
        form,
        columns: columnsOf(form),
        rows: shown.submissions.map((submission) => ({
          id: submission[0],
          isUnread: unread.has(submission[0]),
          ...firstFields(shown, submission),
        })),
        unreadCount: submissions.countUnread(form, userId),
        undelivered: deliveries.findFailures(form),
        refused: refusedOrigins.list(form),
        countByDay,
        now: now(),
        total: shown.total,
        listQuery: { ...listQuery, page: shown.page },
        problem: 'problem' in range ? range.problem : undefined,
        isAllSelected: query.select === 'all',
        done: doneNotice(query, {
          deleted: 'been deleted.',
          read: 'been marked as read.',
          marked: `been marked as spam, and will be deleted after ${days(parseSettings(form.settings).spamDays)}.`,
        }),
      })
    },

    /** The selected ones, or all up to one that the page had. */
    async markRead({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { userId } = session
      const { id } = forms.findForm(userId, params.formId)
      const upTo = sent.get('upTo')
      if (isId(upTo)) {
        await submissions.markAllRead(userId, id, upTo)
        return redirect(listPath(id, 'inbox', wholeList))
      }
      const ids = selectedIds(sent)
      const listQuery = toListQuery(Object.fromEntries(sent))
      if (ids.length === 0) return redirect(listPath(id, 'inbox', listQuery))
      await submissions.markRead(userId, id, ids)
      return doneTo(ids.length, 'read', id, 'inbox', listQuery)
    },

    async markSpam({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { id } = forms.findForm(session.userId, params.formId)
      const count = await countFound(selectedIds(sent), (one) => submissions.markSpam(session.userId, id, one))
      return doneTo(count, 'marked', id, 'inbox', toListQuery(Object.fromEntries(sent)))
    },

    askToMarkSpam: (sent: UserSent<FormParams>): Response => askTo('markSpam', sent),

    /** Asks first. The confirmation names the submissions that the question showed. */
    async delete(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const ids = selectedIds(sent)
      if (ids.length === 0 || sent.get('confirm') !== 'yes') return askTo('delete', visit)
      await submissions.deleteSubmissions(session.userId, params.formId, 'inbox', ids)
      return doneTo(ids.length, 'deleted', params.formId, 'inbox', toListQuery(Object.fromEntries(sent)))
    },

    askToDelete: (sent: UserSent<FormParams>): Response => askTo('delete', sent),
  }
}

const none = ({ id }: Form): ReturnType<SubmissionStore['listSubmissions']> => ({
  formId: id,
  submissions: [],
  total: 0,
  readPiece: () => undefined,
})

const tryRange = (dates: TypedDates): DateRange | { problem: string } => {
  try {
    return rangeOf(dates)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    const isReversed = error.issues.some(({ message }) => message.includes('after'))
    return { problem: isReversed ? '“From” must not be after “To”.' : 'Dates must be like 2026-12-31.' }
  }
}

interface Shown {
  readonly email: string
  readonly form: Form
  /** See `submissionsTable`. */
  readonly columns: readonly string[]
  readonly rows: readonly SubmissionRow[]
  readonly unreadCount: number
  readonly undelivered: Undelivered
  /** Pages that may not send to the form. */
  readonly refused: readonly RefusedOrigin[]
  /** Submissions on each of the last days, the last one today. */
  readonly countByDay: readonly number[]
  readonly now: number
  /** Submissions on all pages together. */
  readonly total: number
  readonly listQuery: ListQuery
  /** The error in the dates. */
  readonly problem: string | undefined
  readonly isAllSelected: boolean
  readonly done: Html | false
}

const submissionsPage = (shown: Shown): Response => {
  const { email, form, countByDay, now, problem, done, undelivered, refused, unreadCount } = shown
  return formFrame({
    form,
    email,
    tab: 'Submissions',
    status: problem ? 400 : 200,
    ...(form.submissionCount > 0 && { aside: plot(countByDay, now) }),
    body: html`${done}
${problem && notice('failed', problem)}${undeliveredLine(form.id, undelivered)}${refused.length > 0 && refusedLine(form.id, refused)}
<div${!problem && html` data-live="${eventsPath(form.id)}" data-state="${stateOf(form, unreadCount)}" tabindex="-1"`}>
${form.submissionCount > 0 && submissionsToolbar(shown)}
${!problem && list(shown)}
</div>
<p class="visually-hidden" id="arrived" role="status"></p>`,
    headers: {
      'content-security-policy': `${pageHeaders['content-security-policy']}; connect-src 'self'`,
    },
  })
}

const plot = (countByDay: readonly number[], now: number): Html => html`<figure class="plot">
${smallPlot(countByDay, now)}
<figcaption><span>${shortDay(now - (countByDay.length - 1) * dayMilliseconds)}</span><span>${count(totalOf(countByDay))} in ${countByDay.length} days</span><span>${shortDay(now)}</span></figcaption>
</figure>`

/** Tells the owner that pages tried to send to the form and were refused. */
const refusedLine = (formId: string, refused: readonly RefusedOrigin[]): Html =>
  html`<p class="notice failed">${refusedText(refused)} <a href="${settingsPath(formId)}#collecting">See which pages may send</a></p>`

const list = (shown: Shown): Html => {
  const { form, rows, listQuery, total, isAllSelected } = shown
  if (form.submissionCount === 0) return nothingYet(form.id)
  if (rows.length === 0) return noMatch(form.id, listQuery)
  const path = `${formPath(form.id)}/submissions`
  return selectableList({
    formId: form.id,
    list: 'inbox',
    listQuery,
    table: submissionsTable({ ...shown, formId: form.id }),
    rowCount: rows.length,
    total,
    isAllSelected,
    action: `${path}/delete`,
    buttons: html`${
      rows.some(({ isUnread }) => isUnread) &&
      html`<button formaction="${path}/read">Mark as read</button>
`
    }<button formaction="${path}/spam">Mark as spam</button>
<button class="danger">Delete</button>`,
  })
}

const nothingYet = (formId: string): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">Nothing yet</h2>
<p>What people send appears here. Put the form’s snippet on your page, or send a test to see how it looks.</p>
<p class="next"><a class="button primary" href="${formPath(formId)}/embed">Get the snippet</a></p>
</section>`

const noMatch = (formId: string, { startDate, endDate, state }: ListQuery): Html => {
  const dates = startDate + endDate === '' ? '' : ' on these dates'
  return html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">${state === 'unread' ? 'Nothing unread' : 'None'}${dates}</h2>
<p class="next"><a class="button" href="${formPath(formId)}">${state === 'unread' ? 'All submissions' : 'All dates'}</a></p>
</section>`
}

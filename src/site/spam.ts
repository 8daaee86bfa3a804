import { visible } from '../base/visible.ts'
import { learnedPath, settingsPath, spamPath } from '../config/addresses.ts'
import { type FormAccess, isEnough } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { days, withCommas } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import type { FileStore } from '../submissions/files/store.ts'
import type { SubmissionSearch } from '../submissions/search/search.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { exportPanel } from './exports.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { type ListQuery, toListQuery, wholeList } from './list-query.ts'
import type { PageAccess } from './page-access.ts'
import { exportFound, nothingFound, type Searched, searchedTo, searchField, searchFor, soFar } from './search-part.ts'
import {
  actOnFound,
  askAbout,
  deleteFound,
  doneNotice,
  doneTo,
  numberedPages,
  perPage,
  selectableList,
  selectedIds,
} from './selected-submissions.ts'
import { submissionFiles } from './sent-files.ts'
import { explained, type SpamRow, spamTable } from './spam-table.ts'
import { firstFields, firstWords } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly submissions: SubmissionStore
  readonly files: FileStore
  readonly searches: SubmissionSearch
  readonly sessions: BrowserSessions
  readonly now: () => number
}

/** `/forms/:formId/spam`: lists the spam of a form, to accept it or to delete it. */
export const spamRoutes = ({
  pages: { userAction, userPage },
  access,
  submissions,
  files,
  searches,
  sessions,
  now,
}: Options) => {
  /** Asks before it does what was sent. */
  const ask = ({ session, params, form: sent }: UserSent<FormParams>): Response => {
    const form = access.findFormTo('edit', session.userId, params.formId)
    const { action: chosen, ids } = actionIn(sent)
    if (chosen === 'delete-all')
      return form.spamCount === 0 ? redirect(spamPath(form.id)) : deleteAllPage(session.email, form)
    const listQuery = spamQuery(Object.fromEntries(sent))
    const what = chosen === 'accept' ? 'acceptSpam' : 'delete'
    return askAbout({ submissions, session, form, list: 'spam', listQuery, ids, what, action: spamPath(form.id) })
  }

  const { learning } = submissions

  /** How many submissions of the inbox look like spam, for those who may mark them. */
  const suspectsOf = async (userId: string, formId: string): Promise<number> => {
    const form = access.findFormTo('read', userId, formId)
    if (!access.mayDo(userId, form, 'edit') || !parseSettings(form.settings).learnSpam) return 0
    return (await learning.numbersOf(userId, formId)).suspects.length
  }

  const on = {
    async show(visit: UserVisit<FormParams>): Promise<Response> {
      const { session, params, query } = visit
      const { userId, email } = session
      const sought = spamQuery(query)
      const isLive = (): boolean => sessions.isLive(session)
      const search = await searchFor({ searches, list: 'spam', isLive }, visit, sought, allDates)
      const searched = search?.state === 'found' ? search : undefined
      const before = access.findFormTo('read', userId, params.formId)
      const found = searched
        ? { ...searched.result, total: before.spamCount, page: 1 }
        : readPage(query.page, perPage, (page) => submissions.listSubmissions(before, 'spam', page, allDates))
      const listQuery = { ...sought, page: found.page }
      const rows = found.submissions.map((submission): SpamRow => {
        const { id, reason } = submission
        const one = { ...found, submissions: [submission] }
        const first = firstFields(one)
        return {
          id,
          reason: reason ?? 'marked',
          ...firstWords(one, before.settings),
          ...first,
          files: submissionFiles(files, { form: before, list: 'spam', submission: id }, first.fields),
        }
      })
      const likeness = rows.some(({ reason }) => reason === 'similar')
        ? await learning.explain(userId, before.id, rows)
        : []
      const suspects = await suspectsOf(userId, before.id)
      const form = access.findFormTo('read', userId, params.formId)
      return spamPage({
        problem: search?.state === 'refused' ? search : undefined,
        searched,
        email,
        role: access.roleOf(userId, form),
        form,
        now: now(),
        suspects,
        rows: rows.map((row, i) => (row.reason === 'similar' ? explained(submissions, form, row, likeness[i]) : row)),
        total: found.total,
        listQuery,
        isAllSelected: query.select === 'all',
        done: doneNotice(query, listQuery, () => ({
          accepted: { text: 'been moved to the list.' },
          deleted: { text: 'been deleted.' },
        })),
        isBlocked: query.done === 'blocked',
      })
    },

    /** Accepts at once, and asks before it deletes. A row has its own buttons, which name it. */
    async act(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const { userId } = session
      const form = access.findFormTo('edit', userId, params.formId)
      const listQuery = spamQuery(Object.fromEntries(sent))
      const done = (what: string, count: number): Response =>
        doneTo({ done: what, count, form, list: 'spam', listQuery })
      const { action, ids } = actionIn(sent)
      const isConfirmed = sent.get('confirm') === 'yes'
      if (action === 'delete-all' && isConfirmed && form.spamCount > 0)
        return done('deleted', await submissions.deleteAllSpam(userId, form.id))
      if (action === 'accept' && ids.length > 0) {
        const { length: count } = await actOnFound(ids, (id) => submissions.acceptSpam(userId, form.id, id))
        if (sent.get('back') !== 'inbox') return done('accepted', count)
        const inboxQuery = toListQuery(Object.fromEntries(sent))
        return doneTo({ done: 'restored', count, form, list: 'inbox', listQuery: inboxQuery })
      }
      if (action !== 'delete' || ids.length === 0 || !isConfirmed) return ask(visit)
      return done('deleted', await deleteFound(submissions, userId, { form, list: 'spam', ids }))
    },

    ask,
  }

  return [userPage(spamPath, on.show), userAction(spamPath, spamPath, on.act, on.ask)]
}

/** Reads what to do. A button of a row names its submission; those below the list are for the selected ones. */
const actionIn = (sent: URLSearchParams) => {
  const one = sent.get('accept') ?? sent.get('delete')
  const action = sent.has('accept') ? 'accept' : sent.get('action')
  return {
    action: action === 'accept' || action === 'delete-all' ? action : 'delete',
    ids: one === null ? selectedIds(sent) : [one],
  } as const
}

const allDates = { start: null, end: null }

/** The page, or what is searched for. @param given a query, or a form that was sent */
const spamQuery = (given: Readonly<Record<string, unknown>>): ListQuery => {
  const { q, cursor, page } = toListQuery(given)
  return { ...wholeList, q, cursor, page }
}

/** Asks before all spam of a form is deleted. */
const deleteAllPage = (email: string, form: Form): Response => {
  const isOne = form.spamCount === 1
  const path = spamPath(form.id)
  return questionPage({
    email,
    title: `Delete all spam of this form? · ${form.title}`,
    heading: 'Delete all spam of this form?',
    subject: html`<p class="subject"><bdi>${visible(form.title)}</bdi></p>`,
    text: `${isOne ? '1 submission was' : `${withCommas(form.spamCount)} submissions were`} held back. What comes in before you confirm is deleted too. This can’t be undone.`,
    action: path,
    answers: html`<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous" name="action" value="delete-all">Delete all</button>
<a class="button" href="${path}">Keep ${isOne ? 'it' : 'them'}</a>`,
  })
}

interface Shown extends FormPage {
  readonly rows: readonly SpamRow[]
  readonly searched: Searched | undefined
  /** Why nothing was searched. */
  readonly problem: { readonly problem: string; readonly status: number } | undefined
  /** Submissions on all pages together. */
  readonly total: number
  readonly listQuery: ListQuery
  readonly isAllSelected: boolean
  readonly done: Html | false
  /** How many submissions of the inbox look like spam. */
  readonly suspects: number
  /** Whether a term was just added to the blocked ones. */
  readonly isBlocked: boolean
}

const spamPage = (shown: Shown): Response => {
  const { email, role, form, now, done, isBlocked, problem, suspects } = shown
  const { spamDays } = parseSettings(form.settings)
  return formFrame({
    form,
    email,
    tab: 'Spam',
    role,
    now,
    status: problem?.status ?? 200,
    body: html`${done}${isBlocked && notice('done', 'Submissions that contain it are spam from now on.')}${problem && notice('failed', problem.problem)}${suspects > 0 && html`<p class="notice"><a href="${learnedPath(form.id)}">${withCommas(suspects)} in the inbox ${suspects === 1 ? 'looks' : 'look'} like spam</a></p>`}
${form.spamCount === 0 ? nothingHeldBack(spamDays) : html`${toolbar(shown, spamDays)}${!problem && list(shown)}`}`,
  })
}

const nothingHeldBack = (spamDays: number): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">No spam</h2>
<p>Submissions that the filter holds back appear here for ${days(spamDays)}.</p>
</section>`

const toolbar = ({ role, form, rows, listQuery, total, searched }: Shown, spamDays: number): Html => {
  const path = spamPath(form.id)
  return html`<div class="toolbar">
${
  searched
    ? html`<p><strong>${withCommas(searched.result.submissions.length)} found</strong>${soFar(searched.result)} · <a href="${path}">All</a></p>`
    : html`<p><strong>${withCommas(total)}</strong> held back. Kept for ${days(spamDays)}, then deleted. No notifications are sent for these, and they are not counted.${isEnough(role, 'configure') && html` <a href="${settingsPath(form.id)}#spam">What counts as spam</a>`}</p>`
}
${searchField(form, listQuery, 'spam')}
${searched ? rows.length > 0 && exportFound(searched, form, listQuery, 'spam') : exportPanel(form, 'spam', `Export ${withCommas(total)} held back`, [])}
${!searched && isEnough(role, 'edit') && html`<form method="post" action="${path}"><button class="danger" name="action" value="delete-all">Delete all</button></form>`}
</div>
`
}

const list = ({ role, form, rows, listQuery, total, searched, isAllSelected }: Shown): Html => {
  if (searched && rows.length === 0) return nothingFound(searched, form, listQuery, 'spam')
  return selectableList({
    formId: form.id,
    list: 'spam',
    listQuery,
    table: spamTable({ role, form, rows, isAllSelected, terms: searched?.terms ?? [] }),
    rowCount: rows.length,
    pages: searched ? searchedTo(searched, form, listQuery, 'spam') : numberedPages(form.id, 'spam', listQuery, total),
    isAllSelected,
    action: spamPath(form.id),
    buttons:
      isEnough(role, 'edit') &&
      html`<button name="action" value="accept">Not spam</button>
<button class="danger" name="action" value="delete">Delete</button>`,
  })
}

import type { MemberStore, SharedForm } from '../accounts/members/store.ts'
import type { UserReads } from '../accounts/users/user-reads.ts'
import { creationTime } from '../base/id.ts'
import { itemsOf, type ListPage } from '../base/list-page.ts'
import { toIsoTime } from '../base/moment.ts'
import { foldForSearch } from '../base/search-fold.ts'
import { visible } from '../base/visible.ts'
import {
  accountPath,
  deliveriesPath,
  embedPath,
  formPath,
  formsEventsPath,
  formsPath,
  newFormPath,
} from '../config/addresses.ts'
import type { FormAccess, FormTo } from '../forms/access.ts'
import type { EndedShare } from '../forms/ended-shares.ts'
import type { Form } from '../forms/form.ts'
import type { FormLists } from '../forms/form-lists.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import type { FormStore } from '../forms/store.ts'
import { time, withCommas } from '../html/format.ts'
import { frame, header, livePageHeaders, notice, unreadTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pageNumber } from '../html/pager.ts'
import type { activityReader } from '../submissions/activity.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { UnreadReads } from '../submissions/unread.ts'
import { hasUndelivered } from './deliveries.ts'
import { closedState } from './form-frame.ts'
import { rowTime } from './list-rows.ts'
import { listFoot } from './list-tools.ts'
import { stateOfAllForms } from './live.ts'
import { firstFormPage, guestPage, mayOwnForms } from './new-form.ts'
import type { PageAccess } from './page-access.ts'
import { roleNames } from './role-words.ts'
import { sparkline, total as totalOf } from './small-plot.ts'
import { firstWords } from './summary.ts'
import type { UserVisit } from './visit.ts'

const perPage = 20

/** Forms from which there is a field to find one. */
const leastToFind = 8

/** Own forms, and as many of others, among which one is found. */
const mostSearched = 1000

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly formLists: Pick<FormLists, 'listFormsByActivity'>
  readonly forms: FormStore
  readonly submissions: Pick<SubmissionStore, 'findNewest'>
  readonly unreadReads: UnreadReads
  readonly countByDay: ReturnType<typeof activityReader>
  readonly deliveries: DeliveryStore
  readonly members: Pick<MemberStore, 'listShared' | 'listEnded'>
  readonly userReads: Pick<UserReads, 'findUserById'>
  readonly now: () => number
}

/** `/forms`: lists the forms of a user, and those that others share; or leads to the first one. */
export const formListRoutes = ({
  pages: { userPage },
  access,
  formLists,
  forms,
  submissions,
  unreadReads,
  countByDay,
  deliveries,
  members,
  userReads,
  now,
}: Options) => {
  const mayOwn = mayOwnForms(userReads)

  const toRow = (form: FormTo<'read'>, userId: string, shared: SharedForm | undefined): FormRow => {
    const newest = submissions.findNewest(form)
    return {
      form,
      shared,
      unreadCount: unreadReads.countUnread(form, userId),
      hasUndelivered: access.mayDo(userId, form, 'deliver') && hasUndelivered(deliveries.findFailures(form)),
      days: countByDay(form, now()),
      newest: newest && { at: creationTime(newest.submissions[0]?.id as string), ...firstWords(newest, form.settings) },
    }
  }

  /** Forms of both kinds up to a number of own ones, the one with the newest submission first. */
  const readForms = (userId: string, ownCount: number) => {
    const own = formLists.listFormsByActivity(userId, { page: 1, perPage: ownCount })
    const { total, forms: shared } = members.listShared(userId, { page: 1, perPage: mostSearched })
    const sharing = new Map(shared.map((one) => [one.id, one]))
    const others = forms.findReadable(userId, [...sharing.keys()])
    const all: FormTo<'read'>[] = [...own.forms, ...others]
    return { sharing, total: own.total + total, all: others.length > 0 ? all.sort(byActivity) : all }
  }

  const on = {
    show({ session, query }: Pick<UserVisit, 'session' | 'query'>): Response {
      const { userId, email } = session
      const done = typeof query.done === 'string' && Object.hasOwn(doneTexts, query.done) && doneTexts[query.done]
      const q = typeof query.q === 'string' ? query.q.trim() : ''
      const page = pageNumber(query.page)
      const read = readForms(userId, q === '' ? Math.min(page, maxPage) * perPage : mostSearched)
      const ended = members.listEnded(userId)
      if (read.total === 0 && ended.length === 0)
        return mayOwn(userId)
          ? firstFormPage({ email, done: done || undefined })
          : guestPage(200, email, done || undefined)
      const found =
        q === '' ? read.all : read.all.filter(({ title }) => foldForSearch(title).includes(foldForSearch(q)))
      const total = q === '' ? read.total : found.length
      const lastPage = Math.max(1, Math.ceil(total / perPage))
      if (page > lastPage) return on.show({ session, query: { ...query, page: String(lastPage) } })
      const shown = itemsOf(found, { page, perPage })
      return formListPage({
        email,
        done: done || undefined,
        rows: shown.map((form) => toRow(form, userId, read.sharing.get(form.id))),
        state: stateOfAllForms(forms, members, userId),
        now: now(),
        q,
        mayFind: read.total >= leastToFind,
        mayOwn: mayOwn(userId),
        ended,
        total,
        page,
        perPage,
      })
    },
  }

  return [userPage(formsPath, on.show)]
}

const doneTexts: Readonly<Record<string, string>> = {
  deleted: 'The form has been deleted.',
  left: 'You have left the form.',
}

/** Beyond it, an address asks for more forms than anyone has. */
const maxPage = 50_000

const byActivity = (a: Form, b: Form): number => (a.latestId < b.latestId ? 1 : -1)

interface FormRow {
  readonly form: Form
  /** Of a form of someone else. */
  readonly shared: Pick<SharedForm, 'role' | 'owner'> | undefined
  readonly unreadCount: number
  readonly hasUndelivered: boolean
  /** Submissions on each of the last days, the last one today. */
  readonly days: readonly number[]
  readonly newest: { readonly at: number; readonly who: string; readonly words: string } | undefined
}

interface Shown extends ListPage {
  readonly email: string
  /** A sentence about what was just done. */
  readonly done: string | undefined
  readonly rows: readonly FormRow[]
  /** See `stateOfAllForms`. */
  readonly state: string
  /** A part of the titles; empty for all forms. */
  readonly q: string
  /** Whether there is a field to find a form. */
  readonly mayFind: boolean
  /** Whether the user may create forms. */
  readonly mayOwn: boolean
  /** Forms that others do not share any more. */
  readonly ended: readonly EndedShare[]
  readonly now: number
  /** Forms on all pages together. */
  readonly total: number
}

const formListPage = ({ email, done, rows, state, now, q, mayFind, mayOwn, ended, ...paged }: Shown): Response => {
  const { page, total } = paged
  const to = (number: number): string =>
    `${formsPath()}${queryOf({ ...(q !== '' && { q }), ...(number > 1 && { page: String(number) }) })}`
  const first = (page - 1) * perPage + 1
  return frame({
    title: unreadTitle(totalOf(rows.map(({ unreadCount }) => unreadCount)), 'Forms · Formbox'),
    width: 'list',
    headers: livePageHeaders,
    header: header(formsPath, email),
    body: html`<div class="head"><h1>Forms</h1>
<div class="end">
${mayFind && findForm(q)}${mayOwn && html`<a class="button primary" href="${newFormPath()}">New form</a>`}
</div></div>
${done && notice('done', done)}<div${q === '' && html` data-live="${formsEventsPath()}" data-forms="${accountPath()}" data-state="${state}"`} tabindex="-1">
${
  rows.length === 0
    ? html`<section class="list"><div class="empty"><h2>${q === '' ? 'No form' : 'No form found'}</h2>${q !== '' && html`<p>None has “<bdi>${q}</bdi>” in its title.</p><p><a class="button" href="${formsPath()}">All forms</a></p>`}</div></section>`
    : html`<section class="list" aria-label="Forms">
<ul class="rows forms">
${closedLast(rows, now).map((row) => item(row, now))}</ul>
${
  total > perPage &&
  listFoot({
    text: `${withCommas(first)} to ${withCommas(Math.min(first + perPage - 1, total))} of ${withCommas(total)}`,
    newer: page > 1 ? to(page - 1) : undefined,
    older: page * perPage < total ? to(page + 1) : undefined,
    names: ['Previous', 'Next'],
  })
}</section>`
}
</div>
<p class="visually-hidden" id="arrived" role="status"></p>
${ended.length > 0 && endedSection(ended)}`,
  })
}

const queryOf = (members: Readonly<Record<string, string>>): string => {
  const text = String(new URLSearchParams(members))
  return text && `?${text}`
}

const findForm = (q: string): Html =>
  html`<form class="finds field" method="get" action="${formsPath()}" role="search"><label class="visually-hidden" for="q">Find a form</label><input class="find" id="q" name="q" type="search" placeholder="Find a form" value="${q}" autocomplete="off" data-key="/" data-search="${q !== '' && formsPath()}"></form>
`

/** The forms of a page in their order, but for those that are closed, which come last. */
const closedLast = (rows: readonly FormRow[], now: number): readonly FormRow[] => {
  const isClosed = ({ form }: FormRow): boolean => closedState(form, now) !== false
  return [...rows.filter((row) => !isClosed(row)), ...rows.filter(isClosed)]
}

const item = ({ form, shared, unreadCount, hasUndelivered: isUndelivered, days, newest }: FormRow, now: number): Html =>
  html`<li class="row${unreadCount > 0 && ' is-unread'}" data-unread="${unreadCount}">
<span class="title one"><a class="open" href="${formPath(form.id)}"><bdi>${visible(form.title)}</bdi></a>${unreadCount > 0 && html`<span class="chip is-good">${withCommas(unreadCount)}<span class="visually-hidden"> unread</span></span>`}</span>
<span class="of"><bdi>${placeOf(form)}</bdi></span>
<span class="gist">${newest ? html`${newest.who && html`<bdi class="about">${newest.who}</bdi> `}<bdi>${newest.words}</bdi>` : html`<span class="above">Nothing yet. <a href="${embedPath(form.id)}">Get the code<span class="visually-hidden">: ${visible(form.title)}</span></a></span>`}</span>
<span class="chips">${closedState(form, now)}${isUndelivered && html`<a class="chip is-bad above" href="${deliveriesPath(form.id)}">Not delivered</a>`}${shared && html`<span class="chip" title="${shared.owner}">${roleNames[shared.role]} · ${shared.owner.replace(/@.*/, '@…')}</span>`}</span>
${sparkline(days)}
${newest ? html`<time datetime="${toIsoTime(newest.at)}" data-format="row">${rowTime(newest.at, now)}</time>` : html`<span></span>`}
</li>
`

/** Where a form is used, as far as it says so. */
const placeOf = ({ id, settings }: Form): string =>
  `${parseSettings(settings).page === null ? 'key' : 'own page'} …${id.slice(-6)}`

const endedSection = (ended: readonly EndedShare[]): Html => html`<section class="card" aria-labelledby="ended-heading">
<h2 id="ended-heading">Not shared with you any more</h2>
<ul class="facts">
${ended.map(
  ({ title, reason, at }) => html`<li><bdi>${visible(title)}</bdi>:
<span class="muted">${reason === 'deleted' ? 'it was deleted, with its submissions' : 'you were removed from the form'}, ${time(at)}</span></li>
`,
)}</ul>
</section>`

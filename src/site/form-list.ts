import type { MemberStore, SharedForm } from '../accounts/members/store.ts'
import type { UserReads } from '../accounts/users/user-reads.ts'
import { creationTime } from '../base/id.ts'
import type { ListPage } from '../base/list-page.ts'
import { visible } from '../base/visible.ts'
import {
  accountPath,
  embedPath,
  formPath,
  formsEventsPath,
  formsPath,
  leavePath,
  newFormPath,
  sharedEventsPath,
  sharedPath,
} from '../config/addresses.ts'
import type { FormAccess, FormTo, MemberRole } from '../forms/access.ts'
import type { EndedShare } from '../forms/ended-shares.ts'
import type { Form } from '../forms/form.ts'
import type { FormLists } from '../forms/form-lists.ts'
import type { FormStore } from '../forms/store.ts'
import { ago, time, withCommas } from '../html/format.ts'
import { frame, header, livePageHeaders, notice, unreadTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pager, readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import type { activityReader } from '../submissions/activity.ts'
import type { DeliveryStore } from '../submissions/deliveries/store.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { UnreadReads } from '../submissions/unread.ts'
import { hasUndelivered } from './deliveries.ts'
import { closedState } from './form-frame.ts'
import { stateOfForms, stateOfShared } from './live.ts'
import { firstFormPage, guestPage, mayOwnForms } from './new-form.ts'
import type { PageAccess } from './page-access.ts'
import { roleNames } from './role-words.ts'
import { smallPlot, total as totalOf } from './small-plot.ts'
import { firstWords } from './summary.ts'
import type { UserVisit } from './visit.ts'

const perPage = 20

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly formLists: Pick<FormLists, 'listFormsByActivity'>
  readonly forms: FormStore
  readonly submissions: Pick<SubmissionStore, 'findNewest'>
  readonly unreadReads: UnreadReads
  readonly countByDay: ReturnType<typeof activityReader>
  readonly deliveries: DeliveryStore
  readonly members: Pick<MemberStore, 'listShared' | 'listEnded' | 'hasShared'>
  readonly userReads: Pick<UserReads, 'findUserById'>
  readonly now: () => number
}

/** `/`: lists the forms of a user, or leads to the first one. `/shared`: lists those that others share with the user. */
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

  const toRow = (form: FormTo<'read'>, userId: string): FormRow => {
    const newest = submissions.findNewest(form)
    return {
      form,
      unreadCount: unreadReads.countUnread(form, userId),
      hasUndelivered: access.mayDo(userId, form, 'deliver') && hasUndelivered(deliveries.findFailures(form)),
      days: countByDay(form, now()),
      newest: newest && { at: creationTime(newest.submissions[0]?.id as string), ...firstWords(newest, form.settings) },
    }
  }

  const on = {
    show({ session, query }: UserVisit): Response {
      const { userId, email } = session
      const done = query.done === 'deleted' ? 'The form has been deleted.' : undefined
      const { forms: listed, ...paged } = readPage(query.page, perPage, (page) =>
        formLists.listFormsByActivity(userId, page),
      )
      const hasShared = members.hasShared(userId)
      if (paged.total === 0 && hasShared && !done) return redirect(sharedPath())
      if (paged.total === 0 && !mayOwn(userId)) return guestPage(200, email, done)
      if (paged.total === 0) return firstFormPage({ email, done })
      const rows = listed.map((form) => toRow(form, userId))
      const tab = hasShared ? formsPath : undefined
      const firstPage = paged.page === 1 ? { total: paged.total, forms: listed } : undefined
      const state = stateOfForms(forms, userId, firstPage)
      return formListPage({ email, done, rows, state, now: now(), tab, mayOwn: mayOwn(userId), ended: [], ...paged })
    },

    showShared({ session, query }: UserVisit): Response {
      const { userId, email } = session
      const done = query.done === 'left' ? 'You have left the form.' : undefined
      const { forms: listed, ...paged } = readPage(query.page, perPage, (page) => members.listShared(userId, page))
      const sharing = new Map(listed.map((shared) => [shared.id, shared]))
      const rows = forms.findReadable(userId, [...sharing.keys()]).map((form) => {
        const shared = sharing.get(form.id) as SharedForm
        return { ...toRow(form, userId), shared }
      })
      const ended = members.listEnded(userId)
      const state = stateOfShared(forms, members, userId)
      return formListPage({
        email,
        done,
        rows,
        state,
        now: now(),
        tab: sharedPath,
        mayOwn: mayOwn(userId),
        ended,
        ...paged,
      })
    },
  }

  return [userPage(formsPath, on.show), userPage(sharedPath, on.showShared)]
}

type List = typeof formsPath | typeof sharedPath

interface FormRow {
  readonly form: Form
  /** The role, and the owner, of a form that someone else shares. */
  readonly shared?: { readonly role: MemberRole; readonly owner: string }
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
  /** See `stateOfForms`. */
  readonly state: string
  /** Which of the two lists this is; undefined if no one shares a form with the user. */
  readonly tab: List | undefined
  readonly mayOwn: boolean
  /** Forms that others do not share any more. */
  readonly ended: readonly EndedShare[]
  readonly now: number
  /** Forms on all pages together. */
  readonly total: number
}

const formListPage = ({ email, done, rows, state, now, tab, mayOwn, ended, ...paged }: Shown): Response => {
  const path = (tab ?? formsPath)()
  const unread = totalOf(rows.map(({ unreadCount }) => unreadCount))
  const events = tab === sharedPath ? sharedEventsPath() : formsEventsPath()
  return frame({
    title: unreadTitle(unread, 'Forms · Formbox'),
    width: 'wide',
    headers: livePageHeaders,
    header: header(formsPath, email),
    body: html`<div class="head">
<div>
<h1>Forms</h1>
<p class="lead">${paged.total > rows.length ? `${withCommas(paged.total)} forms` : news(rows)}</p>
</div>
${mayOwn && html`<div class="end"><a class="button primary" href="${newFormPath()}">New form</a></div>`}
</div>
${tab && (mayOwn || tab === formsPath) && lists(tab)}${done && notice('done', done)}
${rows.length === 0 && html`<p class="muted">No form is shared with you.</p>`}<div${rows.length > 0 && html` data-live="${events}" data-forms="${accountPath()}" data-state="${state}"`} tabindex="-1">
<ul class="card flush bleed forms">
${rows.map((row) => item(row, now))}
</ul>
${pager({ ...paged, names: ['Previous', 'Next'], toPath: (page) => `${path}${page === 1 ? '' : `?page=${page}`}` })}
</div>
<p class="visually-hidden" id="arrived" role="status"></p>
${ended.length > 0 && endedSection(ended)}`,
  })
}

const endedSection = (ended: readonly EndedShare[]): Html => html`<section class="card" aria-labelledby="ended-heading">
<h2 id="ended-heading">Not shared with you any more</h2>
<ul class="plain">
${ended.map(
  ({ title, reason, at }) => html`<li><p><bdi>${visible(title)}</bdi><br>
<span class="small muted">${reason === 'deleted' ? 'It was deleted, with its submissions' : 'You were removed from the form'}, ${time(at)}</span></p></li>
`,
)}</ul>
</section>`

const lists = (tab: List): Html => html`<nav class="tabs" aria-label="Lists">
<a href="${formsPath()}"${tab === formsPath && html` aria-current="page"`}>Your forms</a>
<a href="${sharedPath()}"${tab === sharedPath && html` aria-current="page"`}>Shared with you</a>
</nav>
`

const news = (rows: readonly FormRow[]): string => {
  const sum = totalOf(rows.map(({ unreadCount }) => unreadCount))
  if (sum === 0) return 'Nothing unread'
  return sum === 1 ? 'One unread submission' : `${withCommas(sum)} unread submissions`
}

const item = (
  { form, shared, unreadCount, hasUndelivered: isUndelivered, days, newest }: FormRow,
  now: number,
): Html => {
  const lately = totalOf(days)
  return html`<li data-unread="${unreadCount}"${unreadCount > 0 && html` class="is-unread"`}>
<div>
<h2><a class="open" href="${formPath(form.id)}"><bdi>${visible(form.title)}</bdi></a>${closedState(form, now)}${unreadCount > 0 && html` <span class="state active">${withCommas(unreadCount)} unread</span>`}${isUndelivered && html` <span class="state failed">Not delivered</span>`}</h2>
${newest ? latest(newest, now) : nothingYet(form)}${shared && sharedBy(form, shared)}
</div>
<figure class="plot${lately === 0 && ' flat'}">
${smallPlot(days, now)}
<figcaption>${form.submissionCount === 0 ? 'None yet' : `${withCommas(form.submissionCount)} in all`}<span>${lately > 0 && `${withCommas(lately)} in ${days.length} days`}</span></figcaption>
</figure>
</li>
`
}

const sharedBy = ({ id, title }: Form, { role, owner }: NonNullable<FormRow['shared']>): Html =>
  html`<form class="small muted above" method="post" action="${leavePath(id)}">${roleNames[role]} · owned by <bdi>${owner}</bdi> · <button class="as-link">Leave<span class="visually-hidden">: ${title}</span></button></form>`

const latest = ({ at, who, words }: NonNullable<FormRow['newest']>, now: number): Html =>
  html`<p class="latest"><bdi>${who && html`<b>${who}</b> `}${words}</bdi> ${ago(at, now, 24, time(at))}</p>`

const nothingYet = ({ id, title }: Form): Html => html`<p class="muted">Nothing yet.
<a class="above" href="${embedPath(id)}">Put its snippet on your page<span class="visually-hidden">: ${visible(title)}</span></a></p>`

import { creationTime } from '../base/id.ts'
import { itemsOf } from '../base/list-page.ts'
import { toIsoTime } from '../base/moment.ts'
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
import { type Allowed, type FormTo, isEnough } from '../forms/access.ts'
import type { EndedShare } from '../forms/ended-shares.ts'
import type { Form } from '../forms/form.ts'
import {
  type FormGroup,
  findGrouped,
  type GroupedForm,
  inGroups,
  maxGroupedForms,
} from '../forms/lists/grouped-forms.ts'
import type { SharedForm } from '../forms/lists/shared-forms.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { sparkline, total as totalOf } from '../html/charts.ts'
import { rowTime, time, withCommas } from '../html/format.ts'
import { frame, header, livePageHeaders, noticeOf, unreadTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pageNumber } from '../html/pager.ts'
import { firstWords } from '../submissions/lines.ts'
import { closedState } from './form-frame.ts'
import { foldedGroups, groupTitle } from './form-groups.ts'
import { besidePage, listFoot, rowsInWords } from './list-tools.ts'
import { firstFormPage, guestPage, mayOwnForms } from './new-form.ts'
import type { PageOptions } from './page-options.ts'
import { roleNames } from './role-words.ts'
import type { UserVisit } from './visit.ts'

const perPage = 20

/** Forms from which there is a field to find one. */
const leastToFind = 8

/** Forms in groups up to which each has its row. Of more, the page has their titles. */
const mostInFull = 30

/** `/forms`: lists the forms of a user, and those that others share; or leads to the first one. */
export const formListRoutes = (options: PageOptions) => {
  const { userPage } = options.pages
  const { access, formLists, submissions, unreadReads, countByDay, deliveries } = options
  const { userReads, formLimits, now } = options
  const mayOwn = mayOwnForms(userReads)

  const toRows = (shown: readonly FormTo<'read'>[], userId: string, sharing: Sharing): FormRow[] => {
    const failing = deliveries.findFailing(shown.filter((form) => access.mayDo(userId, form, 'deliver')))
    const unreadIn = unreadReads.unreadCounter(shown, userId)
    return shown.map((form) => {
      const newest = submissions.findNewest(form)
      const at = newest && creationTime(newest.submissions[0]?.id as string)
      return {
        form,
        shared: sharing.get(form.id),
        unreadCount: unreadIn(form),
        hasUndelivered: failing.has(form.number),
        days: countByDay(form, now()),
        newest: newest && at !== undefined ? { at, ...firstWords(newest, form.settings) } : undefined,
      }
    })
  }

  /** The titles of all groups, folded. */
  const folded = (userId: string, groups: readonly FormGroup<GroupedForm>[]): Html => {
    const all = groups.flatMap(({ forms: some }) => some)
    const mayDeliver = (form: GroupedForm): form is GroupedForm & Allowed<'deliver', 'number'> =>
      isEnough(form.role, 'deliver')
    return foldedGroups({
      groups,
      unreadIn: unreadReads.unreadCounter(all, userId),
      failing: deliveries.findFailing(all.filter(mayDeliver)),
      now: now(),
    })
  }

  const on = {
    show({ session, query }: Pick<UserVisit, 'session' | 'query'>): Response {
      const { userId, email } = session
      const done = noticeOf(doneTexts, query.done)
      const asked = toAsked(query)
      const isPart = asked.q !== '' || asked.group !== ''
      const read = formLists.listJoined(userId, { page: asked.page, perPage: isPart ? 0 : perPage })
      const ended = formLists.listEnded(userId)
      if (read.total === 0 && ended.length === 0)
        return mayOwn(userId)
          ? firstFormPage({ email, canMail: formLimits.canMail, done })
          : guestPage(200, email, done)
      const titled = isPart || read.total <= maxGroupedForms ? formLists.listGrouped(userId) : []
      const groups = isPart || titled.every(({ group }) => group === null) ? [] : inGroups(titled, ({ group }) => group)
      const found = findGrouped(titled, asked)
      const total = isPart ? found.length : read.total
      const lastPage = groups.length > 0 ? 1 : Math.max(1, Math.ceil(total / perPage))
      if (asked.page > lastPage) return on.show({ session, query: { ...query, page: String(lastPage) } })
      const isFolded = groups.length > 0 && total > mostInFull
      const shown = isFolded
        ? []
        : groups.length > 0
          ? findForms(userId, titled)
          : isPart
            ? findForms(userId, itemsOf(found, { page: asked.page, perPage }))
            : read.forms
      return formListPage({
        email,
        done,
        asked,
        rows: toRows(shown, userId, read.sharing),
        folded: isFolded && folded(userId, groups),
        hasGroups: groups.length > 0,
        state: formLists.stateOfForms(userId),
        now: now(),
        mayFind: read.total >= leastToFind,
        mayOwn: mayOwn(userId),
        ended,
        total,
      })
    },
  }

  const findForms = (userId: string, of: readonly GroupedForm[]): FormTo<'read'>[] =>
    access.findReadable(
      userId,
      of.map(({ id }) => id),
    )

  return [userPage(formsPath, on.show)]
}

type Sharing = ReadonlyMap<string, SharedForm>

interface Asked {
  /** A part of a title, a group or an address; empty for all forms. */
  readonly q: string
  /** Empty for all groups. */
  readonly group: string
  readonly page: number
}

const toAsked = ({ q, group, page }: UserVisit['query']): Asked => ({
  q: typeof q === 'string' ? q.trim() : '',
  group: typeof group === 'string' ? group : '',
  page: pageNumber(page),
})

const doneTexts: Readonly<Record<string, string>> = {
  deleted: 'The form has been deleted.',
  left: 'You have left the form.',
}

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

interface Shown {
  readonly email: string
  /** A sentence about what was just done. */
  readonly done: Html | false
  readonly asked: Asked
  readonly rows: readonly FormRow[]
  /** In place of rows, if there are too many. */
  readonly folded: Html | false
  /** Whether there are headings. */
  readonly hasGroups: boolean
  /** See `stateOfForms`. */
  readonly state: string
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

const formListPage = (shown: Shown): Response => {
  const { email, done, asked, rows, folded, state, mayFind, mayOwn, ended } = shown
  // What is found, or folded, is not looked for again with each submission.
  const isLive = asked.q === '' && !folded
  return frame({
    title: unreadTitle(totalOf(rows.map(({ unreadCount }) => unreadCount)), 'Forms · Formbox'),
    width: 'list',
    headers: livePageHeaders,
    header: header(formsPath, email),
    body: html`<div class="head">${asked.group === '' ? html`<h1>Forms</h1>` : html`<a class="back prev" href="${formsPath()}">Forms</a><h1><bdi>${visible(asked.group)}</bdi></h1>`}
<div class="end">
${mayFind && findForm(asked.q)}${mayOwn && html`<a class="button primary" href="${newFormPath()}">New form</a>`}
</div></div>
${done}<div${isLive && html` data-live="${formsEventsPath()}" data-forms="${accountPath()}" data-state="${state}"`} tabindex="-1">
${folded || lists(shown)}
</div>
<p class="visually-hidden" id="arrived" role="status"></p>
${ended.length > 0 && endedSection(ended)}`,
  })
}

const lists = (shown: Shown): Html | Html[] => {
  const { rows, hasGroups, now } = shown
  if (rows.length === 0) return noForm(shown.asked)
  const list = (some: readonly FormRow[]): Html => html`<ul class="rows forms">
${closedLast(some, now).map((row) => item(row, now))}</ul>
`
  if (!hasGroups)
    return html`<section class="list" aria-label="Forms">
${list(rows)}${foot(shown)}</section>`
  return inGroups(rows, ({ form }) => parseSettings(form.settings).group).map(
    ({ name, forms }, i) => html`<section class="list" aria-labelledby="g${i}">
<h2 class="day" id="g${i}"><bdi>${groupTitle(name)}</bdi></h2>
${list(forms)}</section>
`,
  )
}

const noForm = ({ q, group }: Asked): Html =>
  html`<section class="list"><div class="empty"><h2>${q + group === '' ? 'No form' : 'No form found'}</h2>${q !== '' && html`<p>None has “<bdi>${q}</bdi>” in its title, group or address.</p>`}${q + group !== '' && html`<p><a class="button" href="${formsPath()}">All forms</a></p>`}</div></section>`

const foot = ({ asked, total }: Shown): Html | false => {
  const { q, group, page } = asked
  const to = (number: number): string =>
    `${formsPath()}${queryOf({ ...(q !== '' && { q }), ...(group !== '' && { group }), ...(number > 1 && { page: String(number) }) })}`
  const paged = { page, perPage, total }
  return (
    total > perPage && listFoot({ text: rowsInWords(paged), ...besidePage(paged, to), names: ['Previous', 'Next'] })
  )
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
const placeOf = ({ id, settings }: Form): string => {
  const { page, address } = parseSettings(settings)
  if (page !== null) return `own page, …/f/${address ?? id.slice(-6)}`
  return address === null ? `key …${id.slice(-6)}` : `…/s/${address}`
}

const endedSection = (ended: readonly EndedShare[]): Html => html`<section class="card" aria-labelledby="ended-heading">
<h2 id="ended-heading">Not shared with you any more</h2>
<ul class="facts">
${ended.map(
  ({ title, reason, at }) => html`<li><bdi>${visible(title)}</bdi>:
<span class="muted">${reason === 'deleted' ? 'it was deleted, with its submissions' : 'you were removed from the form'}, ${time(at)}</span></li>
`,
)}</ul>
</section>`

import { visible } from '../base/visible.ts'
import { learnedPath, spamPath, spamSettingsPath } from '../config/addresses.ts'
import { type FormTo, isEnough } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { type Look, lookOf, stack } from '../html/charts.ts'
import { days, withCommas } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { deleteByDefault } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { actOnEach } from '../submissions/inbox/actions.ts'
import { countOf, type HeldList, held, isHeldList, lists } from '../submissions/lists.ts'
import { maxCounted } from '../submissions/spam/reason-reads.ts'
import type { Reason } from '../submissions/stored-submission.ts'
import { actions, letIn } from './action-words.ts'
import { exportItems } from './exports.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { type ConfirmedLately, confirmedLately, nothingWaits, type ShownMail, spamTabs } from './held.ts'
import { changed, hiddenInputs, type ListQuery, listPath, toListQuery, wholeList } from './list-query.ts'
import { besidePage, findField, listFoot, moreMenu, rowsInWords, searchFoot } from './list-tools.ts'
import type { PageOptions } from './page-options.ts'
import { pickedBar } from './picked-bar.ts'
import { type Searched, searchFor } from './search-part.ts'
import { askAbout, deleteFound, doneNotice, doneTo, perPage, selectedIds } from './selected-submissions.ts'
import { explained, reasons, type SpamRow, spamRows, toSpamRows } from './spam-rows.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** `/forms/:formId/spam`: lists the spam of a form, to accept it or to delete it. */
export const spamRoutes = (options: PageOptions) => {
  const { pages, access, submissions, files, countReasons, confirmReads, deliveries, now } = options
  const { formPage, userAction, userPage } = pages

  /** Asks before it does what was sent. */
  const ask = ({ session, params, form: sent }: UserSent<FormParams>): Response => {
    const form = access.findFormTo('edit', session.userId, params.formId)
    const { action: chosen, ids } = actionIn(sent)
    if (chosen === 'delete-all')
      return form.spamCount === 0 ? redirect(spamPath(form.id)) : deleteAllPage(session.email, form)
    const listQuery = spamQuery(Object.fromEntries(sent))
    const list = listIn(listQuery)
    const what = chosen !== 'accept' ? actions.delete : list === 'spam' ? actions.accept : letIn(list)
    return askAbout({ submissions, session, form, list, listQuery, ids, what })
  }

  const { learning } = submissions

  /** What became of the emails to those that are not confirmed. */
  const mailsOf = (userId: string, form: FormTo<'read'>, ids: readonly string[]): ReadonlyMap<string, ShownMail> => {
    const mayRead = access.mayDo(userId, form, 'deliver')
    const deliveryOf = (id: string) =>
      mayRead ? deliveries.ofSubmission(form, id).find(({ kind }) => kind === 'confirm') : undefined
    const mails = confirmReads.heldMailsOf(form, ids, now())
    return new Map(Array.from(mails, ([id, mail]) => [id, { ...mail, delivery: deliveryOf(id) }]))
  }

  /** How many submissions of the inbox look like spam, for those who may mark them. */
  const suspectsOf = async (userId: string, formId: string): Promise<number> => {
    const form = access.findFormTo('read', userId, formId)
    if (!access.mayDo(userId, form, 'edit') || !parseSettings(form.settings).learnSpam) return 0
    return (await learning.numbersOf(userId, formId)).suspects.length
  }

  const on = {
    async show(visit: UserVisit<FormParams>): Promise<Response> {
      const { session, params, query } = visit
      const { userId } = session
      const sought = spamQuery(query)
      const list = listIn(sought)
      const filter: ListQuery = list === 'spam' ? sought : { ...sought, reason: '' }
      const search = await searchFor(options, list, visit, filter, allDates)
      const searched = search?.state === 'found' ? search : undefined
      const before = access.findFormTo('read', userId, params.formId)
      const found = searched
        ? { ...searched.result, total: countOf(before, list), page: 1 }
        : readPage(query.page, perPage, (page) => submissions.listSubmissions(before, list, page, allDates))
      const listQuery = { ...sought, page: found.page }
      const ids = found.submissions.map(({ id }) => id)
      const mails = list === 'unconfirmed' ? mailsOf(userId, before, ids) : undefined
      const rows = toSpamRows(files, before, list, found).map((row): SpamRow => ({ ...row, mail: mails?.get(row.id) }))
      const likeness = rows.some(({ reason }) => reason === 'similar')
        ? await learning.explain(userId, before.id, rows)
        : []
      const firsts = rows.some(({ reason }) => reason === 'repeated')
        ? await submissions.firstsWith(
            before.id,
            rows.map(({ reason, fields }) => (reason === 'repeated' ? fields : [])),
          )
        : []
      const suspects = await suspectsOf(userId, before.id)
      const form = access.findFormTo('read', userId, params.formId)
      return spamPage({
        problem: search?.state === 'refused' ? search : undefined,
        searched,
        ...formPage(session, form),
        suspects,
        rows: rows.map((row, i) =>
          row.reason === 'similar' ? explained(submissions, form, row, likeness[i]) : { ...row, first: firsts[i] },
        ),
        total: found.total,
        ...{ listQuery, list },
        isAllSelected: query.select === 'page',
        counts: countReasons(form),
        confirmed: list === 'unconfirmed' ? confirmReads.countsOf(form, now()) : undefined,
        done: doneNotice(query, listQuery, () => ({
          accept: { text: 'been moved to the list.' },
          delete: { text: 'been deleted.' },
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
      const list = listIn(listQuery)
      const after = (done: 'accept' | 'delete', count: number): Response =>
        doneTo({ done, count, form, list, listQuery })
      const { action, ids } = actionIn(sent)
      const isConfirmed = sent.get('confirm') === 'yes'
      if (action === 'delete-all' && isConfirmed && form.spamCount > 0)
        return after('delete', await submissions.deleteAllSpam(userId, form.id))
      if (action === 'accept' && ids.length > 0) {
        const { length: count } = await actOnEach(ids, (id) => submissions.acceptSpam(userId, form.id, id))
        if (sent.get('back') !== 'inbox') return after('accept', count)
        const inboxQuery = toListQuery(Object.fromEntries(sent))
        return doneTo({ done: 'accept', count, form, list: 'inbox', listQuery: inboxQuery })
      }
      if (action !== 'delete' || ids.length === 0 || !isConfirmed) return ask(visit)
      return after('delete', await deleteFound(submissions, userId, { form, list, ids }))
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
  const { q, reason, cursor, page } = toListQuery(given)
  return { ...wholeList, q, reason, cursor, page }
}

/** What waits for something is a list of its own, beside the spam. */
const listIn = ({ reason }: ListQuery): HeldList | 'spam' => (isHeldList(reason) ? reason : 'spam')

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
  readonly list: HeldList | 'spam'
  readonly isAllSelected: boolean
  readonly done: Html | false
  /** How many submissions of the inbox look like spam. */
  readonly suspects: number
  /** Whether a term was just added to the blocked ones. */
  readonly isBlocked: boolean
  /** How many are held for each reason. */
  readonly counts: readonly (readonly [Reason, number])[]
  /** What became of the emails to visitors lately, where what they have not confirmed is shown. */
  readonly confirmed: ConfirmedLately | undefined
}

const spamPage = (shown: Shown): Response => {
  const { form, done, isBlocked, problem, suspects } = shown
  const { spamDays } = parseSettings(form.settings)
  return formFrame({
    ...shown,
    tab: 'Spam',
    status: problem?.status ?? 200,
    body: html`${done}${isBlocked && notice('done', 'Submissions that contain it are spam from now on.')}${problem && notice('failed', problem.problem)}${suspects > 0 && html`<p class="notice"><a href="${learnedPath(form.id)}">${withCommas(suspects)} in the inbox ${suspects === 1 ? 'looks' : 'look'} like spam</a></p>`}
${bodyOf(shown, spamDays)}`,
  })
}

const bodyOf = (shown: Shown, spamDays: number): Html => {
  const { form, list, confirmed } = shown
  if (list !== 'spam') return html`${confirmed && confirmedLately(confirmed)}${section(shown, spamDays)}`
  if (form.spamCount > 0) return html`${heldBack(shown, spamDays)}${section(shown, spamDays)}`
  const tabs = spamTabs(form, list)
  return html`${tabs && html`<div class="tools alone">${tabs}</div>`}${nothingHeldBack(spamDays)}`
}

const nothingHeldBack = (spamDays: number): Html => html`<section class="list"><div class="empty">
<h2>No spam</h2>
<p>Submissions that the filter holds back appear here for ${days(spamDays)}.</p>
</div></section>`

/** The most frequent reason has the strongest of four shades. */
const lookAt = (i: number): Look => [`hue-${i < 4 ? 1 : 5}`, [1, 0.7, 0.45, 0.25][i] ?? 1]

/** How many are held, and for what: each reason is a link to those. */
const heldBack = ({ form, counts, listQuery }: Shown, spamDays: number): Html => {
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  const parts = counts.map(([, count], i) => ({
    width: ((100 - counts.length + 1) * count) / Math.max(all, 1),
    look: lookAt(i),
  }))
  const pathOf = (reason: '' | Reason): string => listPath(form.id, 'spam', { ...wholeList, q: listQuery.q, reason })
  return html`<div class="held">
<p><strong>${withCommas(form.spamCount)} held back</strong> in ${days(spamDays)}</p>
${stack(parts, 100, html`aria-hidden="true"`)}
<ul class="legend" aria-label="Why${all < form.spamCount && `, of the newest ${withCommas(maxCounted)}`}">
${counts.map(([reason, count], i) => {
  const isCurrent = listQuery.reason === reason
  return html`<li><a href="${pathOf(isCurrent ? '' : reason)}"${isCurrent && html` aria-current="true"`}><svg viewBox="0 0 10 10" aria-hidden="true"><rect ${lookOf(lookAt(i))} width="10" height="10" rx="2"/></svg>${reasons[reason][0]} ${withCommas(count)}</a></li>
`
})}</ul>
</div>
`
}

const section = (
  shown: Shown,
  spamDays: number,
): Html => html`<section class="list" aria-label="${lists[shown.list].label}">
${tools(shown, spamDays)}${!shown.problem && (shown.rows.length === 0 ? noMatch(shown) : selectable(shown))}${!shown.problem && foot(shown)}</section>`

const tools = ({ role, form, rows, listQuery, list, searched, total }: Shown, spamDays: number): Html => {
  const path = spamPath(form.id)
  const item = (to: string, name: string): Html => html`<li><a href="${to}">${name}</a></li>
`
  const count = searched ? (searched.result.next === null && listQuery.cursor === '' ? rows.length : null) : total
  return html`<div class="tools">
${rows.length > 0 && html`<a class="pick" href="${listPath(form.id, 'spam', listQuery, { select: 'page' })}" data-select-all aria-label="Select these ${rows.length}"></a>`}
${spamTabs(form, list)}<p class="muted">${list === 'spam' ? `Kept for ${days(spamDays)}. Nobody is told of these.` : held[list].ends}</p>
${findField({
  action: path,
  hidden: hiddenInputs(changed(listQuery, { q: '' })),
  q: listQuery.q,
  label: list === 'spam' ? 'Search spam' : 'Search these',
  whole: searched ? listPath(form.id, list, wholeList) : '',
})}${
  list === 'spam' &&
  moreMenu([
    isEnough(role, 'edit') && item(learnedPath(form.id), 'What was learned'),
    isEnough(role, 'configure') && item(spamSettingsPath(form.id), 'What counts as spam'),
    rows.length > 0 && exportItems(form, changed(listQuery), count, 'spam'),
    !searched &&
      isEnough(role, 'edit') &&
      html`<li class="apart"><form method="post" action="${path}"><button class="danger" name="action" value="delete-all">Empty spam</button></form></li>
`,
  ])
}</div>
`
}

const selectable = ({ role, form, rows, now, listQuery, list, searched, isAllSelected }: Shown): Html =>
  html`<form class="selectable" method="post" action="${spamPath(form.id)}" autocomplete="off">
${hiddenInputs(listQuery)}${deleteByDefault}${spamRows({ role, form, rows, now, isAllSelected, terms: searched?.terms ?? [] })}${
  isEnough(role, 'edit') &&
  pickedBar({
    isEverything: false,
    total: null,
    actions: html`<button name="action" value="accept" data-key="s">${list === 'spam' ? 'Not spam' : 'Let in'}</button>
<button class="danger" name="action" value="delete" data-key="#">Delete</button>
`,
  })
}</form>
`

const noMatch = ({ form, listQuery, list, searched }: Shown): Html => {
  if (list !== 'spam' && !searched) return nothingWaits(list)
  return html`<div class="empty">
<h2>Nothing found${searched && searched.result.next !== null && ' yet'}</h2>
${listQuery.q !== '' && html`<p>None of ${withCommas(countOf(form, list))} contains “<bdi>${listQuery.q.slice(0, 256).toWellFormed()}</bdi>”.</p>`}
<p><a class="button" href="${listPath(form.id, list, wholeList)}">${list === 'spam' ? 'All spam' : 'All of these'}</a></p>
</div>
`
}

const foot = ({ form, listQuery, searched, total }: Shown): Html | false => {
  const at = (changes: Partial<ListQuery>): string => listPath(form.id, 'spam', { ...listQuery, ...changes })
  if (searched) {
    const { next } = searched.result
    const newer = listQuery.cursor === '' ? undefined : at({ cursor: '' })
    return listFoot({ ...searchFoot(searched.result), newer, older: next === null ? undefined : at({ cursor: next }) })
  }
  const paged = { page: listQuery.page, perPage, total }
  if (total <= perPage && listQuery.page === 1) return false
  return listFoot({ text: rowsInWords(paged), ...besidePage(paged, (page) => at({ page })) })
}

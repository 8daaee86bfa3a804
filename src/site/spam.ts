import type { FileStore } from '../files/store.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import { count, days, time } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { pageNumber, readPage } from '../html/pager.ts'
import { creationTime } from '../id.ts'
import { atMost } from '../short-text.ts'
import { blockedTermIn } from '../submissions/judge.ts'
import { filesIn, isFile, itemsIn, type SubmittedField, textIn } from '../submissions/sent-fields.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { Reason } from '../submissions/submission-reads.ts'
import { visible } from '../visible.ts'
import { formFrame, formPath, settingsPath } from './form-frame.ts'
import { type ListQuery, toListQuery, wholeList } from './list-query.ts'
import {
  askAbout,
  countFound,
  doneNotice,
  doneTo,
  numberedPages,
  perPage,
  selectableList,
  selectedIds,
} from './selected-submissions.ts'
import { type SubmissionFiles, storedFile, submissionFiles } from './sent-files.ts'
import { cellText, firstFields, firstWords } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly files: FileStore
  readonly now: () => number
}

/** `/forms/:formId/spam`: lists the spam of a form, to accept it or to delete it. */
export const spamHandlers = ({ forms, submissions, files, now }: Options) => {
  /** Asks before it does what was sent. */
  const ask = ({ session, params, form: sent }: UserSent<FormParams>): Response => {
    const form = forms.findFormTo('edit', session.userId, params.formId)
    const { action: chosen, ids } = actionIn(sent)
    if (chosen === 'delete-all') return deleteAllPage(session.email, form)
    const listQuery = onPage(pageNumber(sent.get('page')))
    const what = chosen === 'accept' ? 'acceptSpam' : 'delete'
    return askAbout({ submissions, session, form, list: 'spam', listQuery, ids, what, action: spamPath(form.id) })
  }

  return {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId, email } = session
      const form = forms.findFormTo('read', userId, params.formId)
      const found = readPage(query.page, perPage, (page) =>
        submissions.listSubmissions(userId, form.id, 'spam', page, allDates),
      )
      return spamPage({
        email,
        form,
        now: now(),
        rows: found.submissions.map((submission) => {
          const [id, , reason] = submission
          const one = { ...found, submissions: [submission] }
          return {
            id,
            reason: reason ?? 'marked',
            ...firstWords(one),
            ...firstFields(one),
            files: submissionFiles(files, userId, form.id, 'spam', id),
          }
        }),
        total: found.total,
        listQuery: onPage(found.page),
        isAllSelected: query.select === 'all',
        done: doneNotice(query, onPage(found.page), {
          accepted: { text: 'been moved to the list.' },
          deleted: { text: 'been deleted.' },
        }),
        isBlocked: query.done === 'blocked',
      })
    },

    /** Accepts at once, and asks before it deletes. A row has its own buttons, which name it. */
    async act(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const { userId } = session
      const form = forms.findFormTo('edit', userId, params.formId)
      const listQuery = onPage(pageNumber(sent.get('page')))
      const done = (what: string, count: number): Response =>
        doneTo({ done: what, count, form, list: 'spam', listQuery })
      const { action, ids } = actionIn(sent)
      const isConfirmed = sent.get('confirm') === 'yes'
      if (action === 'delete-all' && isConfirmed)
        return done('deleted', await submissions.deleteAllSpam(userId, form.id))
      if (action === 'accept' && ids.length > 0) {
        const count = await countFound(ids, (id) => submissions.acceptSpam(userId, form.id, id))
        if (sent.get('back') !== 'inbox') return done('accepted', count)
        const inboxQuery = toListQuery(Object.fromEntries(sent))
        return doneTo({ done: 'restored', count, form, list: 'inbox', listQuery: inboxQuery })
      }
      if (action !== 'delete' || ids.length === 0 || !isConfirmed) return ask(visit)
      await submissions.deleteSubmissions(userId, form.id, 'spam', ids)
      return done('deleted', ids.length)
    },

    ask,
  }
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

const spamPath = (formId: string): string => `${formPath(formId)}/spam`

const allDates = { start: null, end: null }

const onPage = (page: number): ListQuery => ({ ...wholeList, page })

/** Asks before all spam of a form is deleted. */
const deleteAllPage = (email: string, form: Form): Response => {
  const isOne = form.spamCount === 1
  const path = spamPath(form.id)
  return questionPage({
    email,
    title: `Delete all spam of this form? · ${form.title}`,
    heading: 'Delete all spam of this form?',
    subject: html`<p class="subject"><bdi>${form.title}</bdi></p>`,
    text: `${isOne ? '1 submission was' : `${count(form.spamCount)} submissions were`} held back. What comes in before you confirm is deleted too. This can’t be undone.`,
    action: path,
    answers: html`<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous" name="action" value="delete-all">Delete all</button>
<a class="button" href="${path}">Keep ${isOne ? 'it' : 'them'}</a>`,
  })
}

interface SpamRow {
  readonly id: string
  readonly reason: Reason
  /** See `firstWords`. */
  readonly who: string
  readonly words: string
  readonly fields: readonly SubmittedField[]
  readonly isWhole: boolean
  readonly files: SubmissionFiles
}

interface Shown {
  readonly email: string
  readonly form: Form
  readonly now: number
  readonly rows: readonly SpamRow[]
  /** Submissions on all pages together. */
  readonly total: number
  readonly listQuery: ListQuery
  readonly isAllSelected: boolean
  readonly done: Html | false
  /** Whether a term was just added to the blocked ones. */
  readonly isBlocked: boolean
}

const spamPage = (shown: Shown): Response => {
  const { email, form, now, rows, done, isBlocked } = shown
  const { spamDays } = parseSettings(form.settings)
  return formFrame({
    form,
    email,
    tab: 'Spam',
    now,
    body: html`${done}${isBlocked && notice('done', 'What contains it is spam from now on.')}
${rows.length === 0 ? nothingHeldBack(spamDays) : list(shown, spamDays)}`,
  })
}

const nothingHeldBack = (spamDays: number): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">No spam</h2>
<p>What the filter holds back appears here for ${days(spamDays)}.</p>
</section>`

const list = ({ form, rows, listQuery, total, isAllSelected }: Shown, spamDays: number): Html => {
  const path = spamPath(form.id)
  return html`<div class="toolbar">
<p><strong>${count(total)}</strong> held back. Kept for ${days(spamDays)}, then deleted. No notifications are sent for these, and they are not counted. <a href="${settingsPath(form.id)}#spam">What counts as spam</a></p>
<form method="post" action="${path}"><button class="danger" name="action" value="delete-all">Delete all</button></form>
</div>
${selectableList({
  formId: form.id,
  list: 'spam',
  listQuery,
  table: html`<table class="entries spam" role="table" aria-label="Spam">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col"><span class="visually-hidden">Select</span></th>
<th role="columnheader" scope="col">What was sent</th>
<th role="columnheader" scope="col">Why it is here</th>
<th role="columnheader" scope="col" class="when">Time</th>
<th role="columnheader" scope="col"><span class="visually-hidden">Actions</span></th>
</tr></thead>
<tbody role="rowgroup">
${rows.map((row) => tableRow(row, form, isAllSelected))}</tbody>
</table>`,
  rowCount: rows.length,
  pages: numberedPages(form.id, 'spam', listQuery, total),
  isAllSelected,
  action: path,
  buttons: html`<button name="action" value="accept">Not spam</button>
<button class="danger" name="action" value="delete">Delete</button>`,
})}`
}

const tableRow = (row: SpamRow, form: Form, isSelected: boolean): Html => {
  const { id, reason, who, words, fields, isWhole, files } = row
  const at = time(creationTime(id))
  const name = who || 'No name'
  return html`<tr role="row">
<td role="cell"><label class="check"><input type="checkbox" name="ids" value="${id}"${isSelected && html` checked`}><span class="visually-hidden">Select ${name}, ${at}</span></label></td>
<td role="cell" class="who-cell"><details class="fold"><summary><span class="first-words">${
    who === '' ? html`<span class="none">${name}</span>` : html`<b><bdi>${who}</bdi></b>`
  } <bdi class="words">${fields.length > 0 && words}</bdi></span></summary>
${allOf(fields, isWhole, files)}<p><a href="${spamPath(form.id)}/${id}/block">Block this word or address<span class="visually-hidden">: ${name}</span></a></p></details></td>
<td role="cell" class="why" data-label="Why">${reasons[reason]}${reason === 'terms' && term(form, fields)}</td>
<td role="cell" class="when">${at}</td>
<td role="cell" class="buttons"><button name="accept" value="${id}">Not spam<span class="visually-hidden">: ${name}</span></button><button class="danger" name="delete" value="${id}">Delete<span class="visually-hidden">: ${name}</span></button></td>
</tr>
`
}

const reasons: Readonly<Record<Reason, string>> = {
  honeypot: 'Trap field filled',
  terms: 'Blocked term',
  links: 'Too many links',
  marked: 'Marked by you',
}

const term = ({ settings }: Form, fields: readonly SubmittedField[]): Html | false => {
  const found = blockedTermIn(parseSettings(settings), fields)
  return found !== undefined && html` <bdi class="term">${found}</bdi>`
}

/** Limits for one submission. A page has twenty, and a robot chose how much is in them. */
const maxFields = 30
const maxItems = 30
const maxCharacters = 2000

const allOf = (fields: readonly SubmittedField[], isWhole: boolean, files: SubmissionFiles): Html => {
  const shown = fields.slice(0, maxFields)
  const isCut = !isWhole || fields.length > maxFields || shown.some(({ json }) => isLonger(json))
  if (fields.length === 0) return html`<p class="muted small">No fields were sent.</p>`
  return html`<dl class="fields">
${shown.map(
  ({
    name,
    json,
  }) => html`<div><dt><bdi>${cellText(name)}</bdi></dt><dd dir="auto">${shownValue(json, files)}</dd></div>
`,
)}</dl>
${isCut && html`<p class="muted small">This is its beginning. The API has all of it, and so has the list of submissions if you choose “Not spam”.</p>`}`
}

const isLonger = (json: string): boolean =>
  hasFiles(json) ? itemsIn(json).length > maxItems : json.length > maxCharacters

const hasFiles = (json: string): boolean => /^[[{]/.test(json) && filesIn(JSON.parse(json)).length > 0

const shownValue = (json: string, files: SubmissionFiles): string | Html =>
  hasFiles(json)
    ? html`<ul class="files">
${itemsIn(json)
  .slice(0, maxItems)
  .map(
    (item) => html`<li>${shownItem(item.json, files)}</li>
`,
  )}</ul>`
    : shownText(json)

const shownItem = (json: string, files: SubmissionFiles): string | Html => {
  const value: unknown = JSON.parse(json)
  return isFile(value) && value.file !== undefined ? storedFile(value, files) : shownText(json)
}

const shownText = (json: string): string => visible(atMost(textIn(json) ?? json, maxCharacters)).toWellFormed()

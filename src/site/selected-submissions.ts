import type { Session } from '../accounts/sessions/store.ts'
import { invalid } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { handlingPath, spamPath, spamSettingsPath, submissionPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { days, withCommas } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { firstFields, titleOf } from '../submissions/lines.ts'
import type { ListName } from '../submissions/lists.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { hiddenInputs, type ListQuery, listPath, queryString } from './list-query.ts'
import type { UserVisit } from './visit.ts'

// The inbox and the spam of a form are shown in the same way: a list whose rows can be selected, buttons for them, a
// question before something is done, and a notice afterwards.

/** Submissions on a page of a list. */
export const perPage = 20

/** More than any page shows. */
export const maxSelected = 100

/** @throws AppError `invalid` if they are more than a page shows */
export const selectedIds = (sent: URLSearchParams): string[] => {
  const ids = [...new Set(sent.getAll('ids'))]
  if (ids.length <= maxSelected) return ids
  throw invalid({ field: 'ids', message: `must name at most ${maxSelected} submissions` })
}

interface Chosen {
  readonly form: FormTo<'read'>
  readonly list: ListName
  readonly ids: readonly string[]
}

/** Deletes submissions of a list together, and returns how many there were. */
export const deleteFound = async (
  submissions: Pick<SubmissionStore, 'findSubmissions' | 'deleteSubmissions'>,
  userId: string,
  { form, list, ids }: Chosen,
): Promise<number> => {
  const found = submissions.findSubmissions(form, list, ids).submissions.map(({ id }) => id)
  if (found.length > 0) await submissions.deleteSubmissions(userId, form.id, list, found)
  return found.length
}

interface Asked extends Chosen {
  /** All that match the filter, up to this one. */
  readonly all?: { readonly upTo: string } | undefined
  readonly submissions: Pick<SubmissionStore, 'findSubmissions'>
  readonly session: Session
  readonly listQuery: ListQuery
  readonly what: keyof typeof questions
  /** The path to send the confirmation to. */
  readonly action: string
}

/** Asks before something is done with submissions, or shows the list again if there are none. */
export const askAbout = (asked: Asked): Response => {
  const { submissions, session, form, list, listQuery, ids, all, what, action } = asked
  const back = listPath(form.id, list, listQuery)
  const question = (of: Count, subject: Html, which: Html | Html[]): Response => {
    const { title, text, yes, no } = questions[what](of)
    return questionPage({
      ...{ email: session.email, title: `${title} · ${form.title}`, heading: title, subject, text, action },
      answers: html`${hiddenInputs(listQuery)}${which}${yes}
<a class="button" href="${back}">${no}</a>`,
    })
  }
  // Which these are, the page cannot say.
  if (all) return question('all', html``, [hiddenInput('all', 'true'), hiddenInput('upTo', all.upTo)])
  if (ids.length === 0) return redirect(back)
  const found = submissions.findSubmissions(form, list, ids)
  const count = found.submissions.length
  if (count === 0) return doneTo({ done: 'deleted', count, form, list, listQuery })
  const names = found.submissions.map((submission) => titleOf(firstFields(found, submission).fields, form.settings))
  const subject = html`<ul class="subject">
${names.map(
  (name) => html`<li><bdi>${name}</bdi></li>
`,
)}</ul>`
  return question(
    count,
    subject,
    found.submissions.map(({ id }) => hiddenInput('ids', id)),
  )
}

const notDoneYet = 'Your session had ended, so this has not been done yet.'

/** Submissions by their number, or all that match a filter. */
type Count = number | 'all'

const inWords = (count: Count): string =>
  count === 'all' ? 'all that match' : count === 1 ? 'this submission' : `${count} submissions`

/** What was sent when the session had ended is asked about before it is done. */
const askedLate = (title: string, yes: Html) => ({ title, text: notDoneYet, yes, no: 'Cancel' })

const questions = {
  delete: (count: Count) => ({
    title: `Delete ${inWords(count)}?`,
    text: 'This can’t be undone.',
    yes: html`<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous">Delete ${count !== 1 && count}</button>`,
    no: `Keep ${count === 1 ? 'it' : 'them'}`,
  }),
  markSpam: (count: Count) =>
    askedLate(`Mark ${inWords(count)} as spam?`, html`<button class="primary">Mark as spam</button>`),
  done: (count: Count) => askedLate(`Mark ${inWords(count)} as done?`, primary('handling', 'done', 'Mark as done')),
  open: (count: Count) => askedLate(`Open ${inWords(count)} again?`, primary('handling', 'open', 'Open again')),
  letIn: (count: Count) =>
    askedLate(`Let in ${inWords(count)} without a confirmed address?`, primary('action', 'accept', 'Let in')),
  acceptSpam: (_count: Count) => askedLate('Not spam?', primary('action', 'accept', 'Not spam')),
}

const primary = (name: string, value: string, label: string): Html =>
  html`<button class="primary" name="${name}" value="${value}">${label}</button>`

/** Something that was done with submissions. */
interface Done {
  /** Key of its sentence, see `doneNotice`. */
  readonly done: string
  readonly count: number
  /** Whether more match than were changed. */
  readonly hasMore?: boolean
  readonly form: Pick<Form, 'id'>
  readonly list: ListName
  readonly listQuery: ListQuery
  /** The submissions for which it can be undone. */
  readonly undo?: readonly string[]
  /** The submission to go on with, if someone reads one after the other. */
  readonly next?: string | null
  /** See `placeAmong` in submission.ts. */
  readonly of?: string | null
}

/** Shows the list again, or the next submission, with a notice of what was done with how many. */
export const doneTo = ({
  done,
  count: number,
  hasMore,
  form,
  list,
  listQuery,
  undo = [],
  next,
  of,
}: Done): Response => {
  const more = {
    done,
    count: String(number),
    ...(undo.length > 0 && { undo: undo.join() }),
    ...(hasMore && { more: 'yes' }),
    ...(of && { of }),
  }
  if (!isId(next)) return redirect(`${listPath(form.id, list, listQuery, more)}#notice`)
  return redirect(`${submissionPath(form.id, next)}${queryString(listQuery, more)}#notice`)
}

interface Sentence {
  /** Ends a sentence: `been deleted.` */
  readonly text: string
  /** After the sentence, and the button that undoes it. */
  readonly more?: Html
  /** Where the identifiers are sent to undo it, and what is sent with them. */
  readonly undo?: { readonly path: string; readonly name: string; readonly value: string }
}

/** @param toSentences gives them by what was done */
export const doneNotice = (
  query: UserVisit['query'],
  listQuery: ListQuery,
  toSentences: () => Readonly<Record<string, Sentence>>,
): Html | false => {
  if (typeof query.done !== 'string') return false
  const sentences = toSentences()
  const sentence = Object.hasOwn(sentences, query.done) && sentences[query.done]
  if (!sentence) return false
  const number = Number(query.count) || 0
  if (number === 0)
    return html`<p class="notice failed" id="notice" tabindex="-1" role="alert">Nothing was changed: what you selected has been moved or deleted in the meantime.</p>`
  const text = `${number === 1 ? 'The submission has' : `${withCommas(number)} submissions have`} ${sentence.text}${query.more === 'yes' ? ' More match: do it again for them.' : ''}`
  const ids = typeof query.undo === 'string' ? query.undo.split(',').filter(isId).slice(0, maxSelected) : []
  const { undo } = sentence
  if (!undo || ids.length === 0) return notice('done', text)
  return html`<form class="notice done" id="notice" tabindex="-1" role="status" method="post" action="${undo.path}">
${text} ${hiddenInputs(listQuery)}${ids.map((id) => html`<input type="hidden" name="ids" value="${id}">`)}<input type="hidden" name="back" value="inbox">
<button class="as-link" name="${undo.name}" value="${undo.value}">Undo</button>${sentence.more && html` ${sentence.more}`}
</form>`
}

/** The sentences about what is done in the list of submissions, and on the page of one. */
export const inboxSentences = (form: Form): Readonly<Record<string, Sentence>> => {
  const path = handlingPath(form.id)
  const { spamDays } = parseSettings(form.settings)
  const marked = {
    text: `been marked as spam, and will be deleted after ${days(spamDays)}.`,
    undo: { path: spamPath(form.id), name: 'action', value: 'accept' },
  }
  return {
    deleted: { text: 'been deleted.' },
    read: { text: 'been marked as read.' },
    unread: { text: 'been marked as unread.' },
    marked,
    offered: {
      ...marked,
      more: html`<a href="${spamSettingsPath(form.id)}">Hold back what looks like it?</a>`,
    },
    restored: { text: 'been put back.' },
    done: { text: 'been marked as done.', undo: { path, name: 'handling', value: 'open' } },
    opened: { text: 'been opened again.', undo: { path, name: 'handling', value: 'done' } },
  }
}

import type { Session } from '../accounts/sessions/store.ts'
import { invalid } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { spamPath, spamSettingsPath, submissionPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { days, withCommas } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import type { InboxAction } from '../submissions/inbox/actions.ts'
import { firstFields, titleOf } from '../submissions/lines.ts'
import type { ListName } from '../submissions/lists.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { type Action, actions, type Count, inWords, notDoneYet } from './action-words.ts'
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
  readonly what: Action & Required<Pick<Action, 'asks' | 'to'>>
}

/** Asks before something is done with submissions, or shows the list again if there are none. */
export const askAbout = (asked: Asked): Response => {
  const { submissions, session, form, list, listQuery, ids, all, what } = asked
  const back = listPath(form.id, list, listQuery)
  const question = (of: Count, subject: Html, which: Html | Html[]): Response => {
    const { button, warning, sent } = what
    const heading = what.asks.replace('…', inWords(of))
    const yes = warning
      ? html`<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous">${button} ${of !== 1 && of}</button>`
      : html`<button class="primary"${sent}>${button}</button>`
    return questionPage({
      ...{ email: session.email, title: `${heading} · ${form.title}`, heading, subject },
      text: warning ?? notDoneYet,
      action: list === 'inbox' ? what.to(form.id) : spamPath(form.id),
      answers: html`${hiddenInputs(listQuery)}${which}${yes}
<a class="button" href="${back}">${warning ? `Keep ${of === 1 ? 'it' : 'them'}` : 'Cancel'}</a>`,
    })
  }
  // Which these are, the page cannot say.
  if (all) return question('all', html``, [hiddenInput('all', 'true'), hiddenInput('upTo', all.upTo)])
  if (ids.length === 0) return redirect(back)
  const found = submissions.findSubmissions(form, list, ids)
  const count = found.submissions.length
  if (count === 0) return doneTo({ done: 'delete', count, form, list, listQuery })
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

/** Something that was done with submissions. */
interface Done {
  /** Key of its sentence, see `doneNotice`. */
  readonly done: keyof Sentences
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
  readonly undo?: { readonly path: string; readonly sent: Html }
}

/** By what was done: the action, or `offered` if it is followed by an offer. */
type Sentences = { readonly [One in InboxAction | 'offered']?: Sentence }

export const doneNotice = (
  query: UserVisit['query'],
  listQuery: ListQuery,
  toSentences: () => Sentences,
): Html | false => {
  if (typeof query.done !== 'string') return false
  const sentences = toSentences()
  const sentence = Object.hasOwn(sentences, query.done) && sentences[query.done as keyof Sentences]
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
<button class="as-link"${undo.sent}>Undo</button>${sentence.more && html` ${sentence.more}`}
</form>`
}

/** The sentences about what is done in the list of submissions, and on the page of one. */
export const inboxSentences = (form: Form): Sentences => {
  const about = ({ done, undo }: Action): Sentence => {
    const { to, sent }: Partial<Action> = undo ? actions[undo] : {}
    return { text: `been ${done}`, ...(to && sent && { undo: { path: to(form.id), sent } }) }
  }
  const { spamDays } = parseSettings(form.settings)
  const spam = { ...about(actions.spam), text: `been marked as spam, and will be deleted after ${days(spamDays)}.` }
  return {
    ...Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, about(action)])),
    done: { ...about(actions.done), text: 'been marked as done.' },
    spam,
    offered: { ...spam, more: html`<a href="${spamSettingsPath(form.id)}">Hold back what looks like it?</a>` },
  }
}

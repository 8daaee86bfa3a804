import { expecting, notFound } from '../base/errors.ts'
import { parseText } from '../base/text-rules.ts'
import { notesPath, type ParamsOf, removeNotePath, sentFieldPath, submissionPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { messagePage, questionPage } from '../html/message-page.ts'
import { pageNumber } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { attachmentNamed } from '../http/attachment.ts'
import { reportDefect } from '../http/error-response.ts'
import { neverRunHeaders } from '../http/file-answer.ts'
import { findDownload } from '../http/sent-download.ts'
import { streamed } from '../http/streamed.ts'
import type { Ordinal } from '../submissions/handling.ts'
import { noteRule } from '../submissions/notes.ts'
import { fieldsIn } from '../submissions/sent-fields.ts'
import type { SubmissionState } from '../submissions/states.ts'
import { wholeText } from '../submissions/whole-text.ts'
import { notDoneYet } from './action-words.ts'
import { retriedText } from './delivery-item.ts'
import { type ListQuery, queryString, toListQuery, withoutAll } from './list-query.ts'
import type { UnsavedNote } from './note-thread.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import { doneNotice, inboxSentences } from './selected-submissions.ts'
import { submissionFiles } from './sent-files.ts'
import { submissionPage } from './submission-page.ts'
import { rowsPerPage } from './submissions-page.ts'
import type { UserSent, UserVisit } from './visit.ts'

type SubmissionParams = ParamsOf<typeof submissionPath.route>
type FieldParams = ParamsOf<typeof sentFieldPath.route>

/** `/forms/:formId/submissions/:submissionId`: one submission with all its fields. */
export const submissionRoutes = (options: PageOptions) => {
  const { formPage, userAction, userPage } = options.pages
  const { access, submissions, unreadReads, handlingReads, aboutSubmission, files, deliveries, sessions } = options
  const { userReads, report } = options

  const find = ({ session, params }: Pick<UserVisit<SubmissionParams>, 'session' | 'params'>) => {
    const form = access.findFormTo('read', session.userId, params.formId)
    const found = submissions.findSubmission(form, 'inbox', params.submissionId)
    return { form, found, submission: found.submissions[0] }
  }

  const findNeighbours = (form: FormTo<'read'>, userId: string, id: string, state: SubmissionState) =>
    state === 'unread'
      ? unreadReads.findUnreadNeighbours(form, userId, id)
      : handlingReads.findStateNeighbours(form, state, id)

  const on = {
    /** @param unsaved a note that could not be saved, with what is wrong with it */
    show(visit: UserVisit<SubmissionParams>, unsaved?: UnsavedNote): Response {
      const { form, found, submission } = find(visit)
      const { exchange, session, query } = visit
      const { userId } = session
      const { id } = submission
      const listQuery = toListQuery(query)
      const isUnread = unreadReads.unreadAmong(form, userId, [id]).has(id)
      if (isUnread) submissions.markRead(form, userId, [id]).catch(reportDefect(report, exchange))
      const place = submissions.findPlace(form, 'inbox', id)
      const { state: listState } = withoutAll(listQuery)
      const isAll = listState === '' && listQuery.startDate === '' && listQuery.endDate === ''
      const fields = fieldsIn(wholeText(found, submission))
      return submissionPage({
        ...formPage(session, form),
        ...submission,
        fields,
        files: submissionFiles(files, { form, list: 'inbox', submission: id }, fields),
        deliveries: access.mayDo(userId, form, 'deliver') ? deliveries.ofSubmission(form, id) : [],
        ...aboutSubmission(form, submission),
        hasAllNotes: query.notes === 'all',
        unsaved,
        neighbours: listState === '' ? place : findNeighbours(form, userId, id, listState),
        place:
          listState === 'unread'
            ? placeAmong(unreadReads.countUnread(form, userId) - (isUnread ? 1 : 0), query.of)
            : listState === ''
              ? { position: place.position, of: form.submissionCount }
              : handlingReads.placeInState(form, id, listState, place.position),
        listQuery: isAll ? { ...listQuery, page: Math.ceil(place.position / rowsPerPage) } : listQuery,
        owner: userReads.findUserById(form.userId ?? '')?.email,
        done: doneOn(query, listQuery, form),
      })
    },

    async addNote(visit: UserSent<SubmissionParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const text = (sent.get('text') ?? '').replaceAll('\r\n', '\n')
      const query = Object.fromEntries(sent)
      const inputs = parseInputs({ text: () => parseText('text', noteRule, text) })
      if (inputs.state === 'invalid') return on.show({ ...visit, query }, { text, error: inputs.errors.text ?? '' })
      const add = () => submissions.addNote(session.userId, params, text)
      const { state } = await expecting(['not_found'], add)
      if (state === 'not_found') return lostPage(session.email, text)
      return redirect(notedPath(params, query, 'noted'))
    },

    /** Asks about a note that was sent when the session had ended. */
    showUnsavedNote({ session, params, form: sent }: UserSent<SubmissionParams>): Response {
      const { formId, submissionId } = params
      const text = sent.get('text') ?? ''
      return questionPage({
        email: session.email,
        title: 'Save this note?',
        subject: html`<p class="subject"><bdi>${text}</bdi></p>`,
        text: notDoneYet,
        action: notesPath(formId, submissionId),
        answers: html`<input type="hidden" name="text" value="${text}">
<button class="primary">Save</button>
<a class="button" href="${submissionPath(formId, submissionId)}">Cancel</a>`,
      })
    },

    /** One that is gone by now was removed by someone else, and may stay gone. */
    async removeNote({ session, params, form: sent }: UserSent<SubmissionParams>): Promise<Response> {
      access.findFormTo('edit', session.userId, params.formId)
      await expecting(['not_found'], () => submissions.deleteNote(session.userId, params, sent.get('note') ?? ''))
      return redirect(notedPath(params, Object.fromEntries(sent), 'unnoted'))
    },

    /** Sends the whole value of a field, to be saved. Browsers never show it. */
    download({ exchange, session, params }: UserVisit<FieldParams>): Response {
      const { found, submission } = find({ session, params })
      const position = positionOf(params.field)
      if (position === undefined) throw notFound()
      const download = findDownload(found, submission, position)
      if (!download) throw notFound()
      Object.assign(exchange.headers, neverRunHeaders)
      return streamed(
        exchange,
        {
          mediaType: 'application/octet-stream',
          disposition: attachmentNamed(download.name),
          parts: download.parts,
          close() {},
        },
        { report, mayRead: () => sessions.isLive(session) && !access.isShutOut(session.userId, params.formId) },
      )
    },
  }

  return [
    userAction(notesPath, submissionPath, on.addNote, on.showUnsavedNote),
    userAction(removeNotePath, submissionPath, on.removeNote),
    userPage(submissionPath, (visit) => on.show(visit)),
    userPage(sentFieldPath, on.download),
  ]
}

/** The page that the note is on, as it was left. */
const notedPath = (params: SubmissionParams, sent: Readonly<Record<string, unknown>>, done: string): string =>
  `${submissionPath(params.formId, params.submissionId)}${queryString(toListQuery(sent), { done })}#notice`

/** Shows a note that cannot be saved any more, so that it can be copied. */
const lostPage = (email: string, note: string): Response =>
  messagePage(
    404,
    'The note was not saved',
    ['The submission has been moved or deleted in the meantime. You wrote:', html`<bdi class="value">${note}</bdi>`],
    email,
  )

const doneOn = (query: UserVisit['query'], listQuery: ListQuery, form: Form): Html | false => {
  if (query.done === 'retried') return notice('done', retriedText)
  if (query.done === 'noted') return notice('done', 'The note has been saved.')
  if (query.done === 'unnoted') return notice('done', 'The note has been removed.')
  return doneNotice(query, listQuery, () => inboxSentences(form))
}

/** How far a person has come who reads the unread ones, of how many there were at the beginning, or more. */
const placeAmong = (unreadCount: number, text: unknown): Ordinal => {
  const of = Math.max(pageNumber(text), unreadCount + 1)
  return { position: of - unreadCount, of }
}

const positionOf = (text: string): number | undefined => (/^\d{1,6}$/.test(text) ? Number(text) : undefined)

import type { Delivery, DeliveryStore } from '../deliveries/store.ts'
import { invalid, notFound } from '../errors.ts'
import type { FileStore } from '../files/store.ts'
import { type Form, isEnough, type Role } from '../forms/ownership.ts'
import type { FormStore } from '../forms/store.ts'
import { ago, count, dayTime, time } from '../html/format.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { pageLink, pageNumber } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { attachmentNamed } from '../http/attachment.ts'
import { type Reporter, reportDefect } from '../http/error-response.ts'
import { neverRunHeaders } from '../http/file-answer.ts'
import { streamed } from '../http/streamed.ts'
import { creationTime } from '../id.ts'
import { type Handling, noteRule } from '../submissions/handling.ts'
import { fieldsIn, type SubmittedField } from '../submissions/sent-fields.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { StoredSubmission } from '../submissions/submission-reads.ts'
import { wholeText } from '../submissions/whole-text.ts'
import { isText, textInWords } from '../text-rules.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { deliveryItem, receiverOf, retriedText } from './delivery-item.ts'
import { formPath } from './form-frame.ts'
import { hiddenInputs, type ListQuery, listPath, queryString, toListQuery } from './list-query.ts'
import { doneNotice, inboxSentences, perPage, shorter } from './selected-submissions.ts'
import { findDownload } from './sent-download.ts'
import { type SubmissionFiles, submissionFiles } from './sent-files.ts'
import { bareNames, submittedFields } from './submission-fields.ts'
import { titleOf } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface SubmissionParams extends FormParams {
  readonly submissionId: string
}

interface FieldParams extends SubmissionParams {
  /** Position of the field, from 0. */
  readonly field: string
}

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly files: FileStore
  readonly deliveries: DeliveryStore
  readonly sessions: BrowserSessions
  readonly now: () => number
  /** Called with errors in the middle of a download, and in a write beside a page. */
  readonly report: Reporter
}

/** `/forms/:formId/submissions/:submissionId`: one submission with all its fields. */
export const submissionHandlers = ({ forms, submissions, files, deliveries, sessions, now, report }: Options) => {
  const find = ({ session, params }: Pick<UserVisit<SubmissionParams>, 'session' | 'params'>) => {
    const form = forms.findFormTo('read', session.userId, params.formId)
    const found = submissions.findSubmission(session.userId, form.id, 'inbox', params.submissionId)
    const [submission] = found.submissions as [StoredSubmission]
    return { form, found, submission }
  }

  const findNeighbours = (form: Form, userId: string, id: string, state: ListQuery['state']) => {
    if (state === 'unread') return submissions.findUnreadNeighbours(form, userId, id)
    return state === '' ? submissions.findNeighbours(form, id) : submissions.findStateNeighbours(form, state, id)
  }

  return {
    show(visit: UserVisit<SubmissionParams>): Response {
      const { form, found, submission } = find(visit)
      const { exchange, session, query } = visit
      const { userId } = session
      const [id] = submission
      const listQuery = toListQuery(query)
      const isUnread = submissions.unreadAmong(form, userId, [id]).has(id)
      if (isUnread) submissions.markRead(userId, form.id, [id]).catch(reportDefect(report, exchange))
      const unreadCount = submissions.countUnread(form, userId) - (isUnread ? 1 : 0)
      const position = submissions.positionOf(form, id)
      const isAll = listQuery.state === '' && listQuery.startDate === '' && listQuery.endDate === ''
      return submissionPage({
        email: session.email,
        role: forms.roleOf(userId, form),
        form,
        id,
        fields: fieldsIn(wholeText(found, submission)),
        files: submissionFiles(files, userId, form.id, 'inbox', id),
        deliveries: deliveries.ofSubmission(form, id),
        handling: submissions.findHandling(userId, form.id, id),
        neighbours: findNeighbours(form, userId, id, listQuery.state),
        place:
          listQuery.state === 'unread'
            ? placeAmong(unreadCount, query.of)
            : listQuery.state === ''
              ? { position, of: form.submissionCount }
              : undefined,
        listQuery: isAll ? { ...listQuery, page: Math.ceil(position / perPage) } : listQuery,
        now: now(),
        done: doneOn(query, listQuery, form),
      })
    },

    /** Saves what its reader wants to remember about the submission. */
    async saveNote({ session, params, form: sent }: UserSent<SubmissionParams>): Promise<Response> {
      const note = (sent.get('note') ?? '').replaceAll('\r\n', '\n')
      const listQuery = toListQuery(Object.fromEntries(sent))
      if (!isText(noteRule, note))
        throw invalid({ field: 'note', message: `must be ${textInWords(noteRule)}; got ${[...note].length}` })
      await submissions.handleSubmissions(session.userId, params.formId, [params.submissionId], { note })
      const { formId, submissionId } = params
      return redirect(
        `${formPath(formId)}/submissions/${submissionId}${queryString(listQuery, { done: 'noted' })}#notice`,
      )
    },

    /** Asks about a note that was sent when the session had ended. */
    showUnsavedNote({ session, params, form: sent }: UserSent<SubmissionParams>): Response {
      const path = `${formPath(params.formId)}/submissions/${params.submissionId}`
      const note = sent.get('note') ?? ''
      return questionPage({
        email: session.email,
        title: 'Save this note?',
        subject: html`<p class="subject"><bdi>${note}</bdi></p>`,
        text: 'Your session had ended, so this has not been done yet.',
        action: `${path}/note`,
        answers: html`<input type="hidden" name="note" value="${note}">
<button class="primary">Save</button>
<a class="button" href="${path}">Cancel</a>`,
      })
    },

    /** Sends a file, or the whole value of a field, to be saved. Browsers never show it. */
    download({ exchange, session, params, query }: UserVisit<FieldParams>): Response {
      const { found, submission } = find({ session, params })
      const position = positionOf(params.field)
      if (position === undefined) throw notFound()
      const file = query.file === undefined ? undefined : (positionOf(query.file) ?? -1)
      const download = findDownload(found, submission, position, file)
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
        { report, mayRead: () => sessions.isLive(session) && !forms.isShutOut(session.userId, params.formId) },
      )
    },
  }
}

const doneOn = (query: UserVisit['query'], listQuery: ListQuery, form: Form): Html | false => {
  if (query.done === 'retried') return notice('done', retriedText)
  if (query.done === 'noted') return notice('done', 'The note has been saved.')
  return doneNotice(query, listQuery, inboxSentences(form))
}

/** How far a person has come who reads the unread ones, of how many there were at the beginning, or more. */
const placeAmong = (unreadCount: number, text: unknown): Place => {
  const of = Math.max(pageNumber(text), unreadCount + 1)
  return { position: of - unreadCount, of }
}

const positionOf = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : undefined

/** With more fields, the links to other submissions stand below them, too. */
const manyFields = 12

interface Place {
  /** From 1. */
  readonly position: number
  readonly of: number
}

interface Shown {
  readonly email: string
  /** Of the reader. */
  readonly role: Role | undefined
  readonly form: Form
  readonly id: string
  readonly fields: readonly SubmittedField[]
  readonly files: SubmissionFiles
  readonly deliveries: readonly Delivery[]
  /** The page of the list that led here. */
  readonly listQuery: ListQuery
  readonly now: number
  /** Says what was just done. */
  readonly done: Html | false
  readonly handling: Handling
  /** Among the submissions of the form, or among the unread ones if these are what is read. */
  readonly place: Place | undefined
  readonly neighbours: { readonly older: string | undefined; readonly newer: string | undefined }
}

const submissionPage = (shown: Shown): Response => {
  const { email, role, form, id, fields, files, listQuery, neighbours, place, now, done, handling } = shown
  const at = creationTime(id)
  const name = titleOf(fields)
  const path = `${formPath(form.id)}/submissions/${id}`
  const isUnreadOnly = listQuery.state === 'unread'
  const more: Record<string, string> = isUnreadOnly && place ? { of: String(place.of) } : {}
  const onward = html`${hiddenInputs(listQuery)}${Object.entries({ ...more, next: neighbours.older ?? '' }).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  )}`
  const pathOf = (other: string | undefined): string | false =>
    other !== undefined && `${formPath(form.id)}/submissions/${other}${queryString(listQuery, more)}`
  const onwardLinks = (
    label: string,
    shownPlace: Place | undefined,
    hasKeys: boolean,
  ) => html`<nav class="pages" aria-label="${label}">
${pageLink('newer', 'Newer', pathOf(neighbours.newer), hasKeys ? 'k ArrowLeft' : undefined)}
${shownPlace && html`<p>${count(shownPlace.position)} of ${count(shownPlace.of)}${isUnreadOnly && ' unread'}</p>`}
${pageLink('older', 'Older', pathOf(neighbours.older), hasKeys ? 'j ArrowRight' : undefined)}
</nav>`
  return frame({
    title: `${name} · ${form.title} · Formbox`,
    width: 'wide',
    header: header('/', email),
    body: html`<div class="trail">
<p class="crumb"><a data-key="u" href="${listPath(form.id, 'inbox', listQuery)}#${id}"><bdi>${form.title}</bdi></a></p>
${onwardLinks('Submissions', place, true)}
</div>
<h1><bdi>${name}</bdi></h1>
<p class="lead">${dayTime(at)} <span class="apart">${ago(at, now, 24)}</span></p>
${done}
<div class="sheet">
<section class="card" aria-label="What was sent">
${
  fields.length === 0
    ? html`<p class="muted">No fields were sent.</p>`
    : html`<dl class="fields">
${submittedFields(fields, files)}</dl>
${bareNames(form, fields)}`
}
${fields.length > manyFields && onwardLinks('Submissions, below the fields', undefined, false)}</section>
<div class="aside">
<div class="stack">
${replyLink(form, fields)}
${
  isEnough(role, 'edit') &&
  html`${
    handling.state === 'open'
      ? action(
          'handling',
          id,
          form,
          onward,
          html`<button class="full" data-key="e" name="handling" value="done">${shorter('Mark as done', 'Done')}</button>`,
        )
      : action(
          'handling',
          id,
          form,
          onward,
          html`<button class="full" data-key="e" name="handling" value="open">${shorter('Open again', 'Reopen')}</button>`,
        )
  }
${action('spam', id, form, onward, html`<button class="full" data-key="s">${shorter('Mark as spam', 'Spam')}</button>`)}
${action('delete', id, form, hiddenInputs(listQuery), html`<button class="danger full">Delete</button>`)}`
}
</div>
${noteSection(shown, path)}
${deliveryList(shown)}
<section aria-labelledby="about">
<h2 id="about">About</h2>
<dl class="facts">
<div><dt>Identifier</dt><dd><code>${id}</code></dd></div>
</dl>
</section>
</div>
</div>`,
  })
}

const action = (
  what: 'handling' | 'spam' | 'delete',
  id: string,
  form: Form,
  inputs: Html | Html[],
  button: Html,
): Html => html`<form method="post" action="${formPath(form.id)}/submissions/${what}">
<input type="hidden" name="ids" value="${id}">
${inputs}${button}
</form>`

const noteSection = ({ role, handling, listQuery, now }: Shown, path: string): Html | false => {
  const { note, state, by, at } = handling
  const mayEdit = isEnough(role, 'edit')
  if (!mayEdit && at === null) return false
  return html`<section aria-labelledby="note-heading">
<h2 id="note-heading">Note</h2>
${at !== null && html`<p class="muted small">${state === 'done' ? 'Done' : 'Changed'}${by !== null && html` by ${by}`}, ${ago(at, now, 24, time(at))}</p>`}
${
  mayEdit
    ? html`<form method="post" action="${path}/note" data-edits>
${hiddenInputs(listQuery)}<textarea name="note" aria-labelledby="note-heading" rows="2" autocomplete="off">\n${note ?? ''}</textarea>
<button class="full">Save the note</button>
</form>`
    : note !== null && html`<p class="value"><bdi>${note}</bdi></p>`
}
</section>`
}

const deliveryList = ({ role, form, id, deliveries, listQuery }: Shown): Html | false =>
  isEnough(role, 'deliver') &&
  deliveries.length > 0 &&
  html`<section aria-labelledby="deliveries">
<h2 id="deliveries">Deliveries</h2>
<ol class="log">
${deliveries.map((delivery) =>
  deliveryItem({
    formId: form.id,
    delivery,
    heading: receiverOf(delivery),
    back: html`<input type="hidden" name="back" value="${id}">
${hiddenInputs(listQuery)}`,
  }),
)}</ol>
</section>`

/** A link that writes to the address in the first field that is nothing but an e-mail address; `email` wins. */
const replyLink = (form: Form, fields: readonly SubmittedField[]): Html | false => {
  const addresses = fields.flatMap(({ name, json }) => {
    const value: unknown = json.startsWith('"') && json.length < 300 ? JSON.parse(json) : undefined
    return typeof value === 'string' && /^[\w.+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i.test(value)
      ? [{ name, value }]
      : []
  })
  const address = (addresses.find(({ name }) => name.toLowerCase() === 'email') ?? addresses[0])?.value
  if (address === undefined) return false
  const subject = encodeURIComponent(`Re: ${form.title.toWellFormed()}`)
  return html`<a class="button primary full" data-key="r" href="mailto:${encodeURI(address)}?subject=${subject}">${shorter('Reply by e-mail', 'Reply')}</a>`
}

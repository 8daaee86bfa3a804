import { visible } from '../base/visible.ts'
import {
  deleteSubmissionsPath,
  exportPath,
  formsPath,
  handlingPath,
  homePath,
  markReadPath,
  markSpamPath,
  sentFieldPath,
  submissionPath,
} from '../config/addresses.ts'
import { isEnough } from '../forms/access.ts'
import { time, withCommas } from '../html/format.ts'
import { frame, header } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { AboutSubmission } from '../submissions/about-submission.ts'
import type { ConfirmRecord } from '../submissions/confirm/confirm-reads.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import type { Ordinal } from '../submissions/handling.ts'
import { titleOf } from '../submissions/lines.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import type { StoredSubmission } from '../submissions/stored-submission.ts'
import { deliveryFold } from './delivery-item.ts'
import type { FormPage } from './form-frame.ts'
import { toRowId } from './inbox-rows.ts'
import { letter } from './letter.ts'
import { hiddenInputs, type ListQuery, listPath, queryString } from './list-query.ts'
import { noteThread, type UnsavedNote } from './note-thread.ts'
import { replyLink } from './reply-link.ts'
import type { SubmissionFiles } from './sent-files.ts'
import { repeatOf } from './spam-rows.ts'

interface Shown extends FormPage, AboutSubmission, StoredSubmission {
  readonly fields: readonly SubmittedField[]
  readonly files: SubmissionFiles
  readonly deliveries: readonly Delivery[]
  /** The page of the list that led here. */
  readonly listQuery: ListQuery
  /** Says what was just done. */
  readonly done: Html | false
  /** Whether all notes are shown, and not only the newest. */
  readonly hasAllNotes: boolean
  readonly unsaved: UnsavedNote | undefined
  /** Among the submissions of the form, or among the unread ones if these are what is read. */
  readonly place: Ordinal | undefined
  readonly neighbours: { readonly older: string | undefined; readonly newer: string | undefined }
  /** The address of who owns the form; undefined if that is not known. */
  readonly owner: string | undefined
}

/** One submission: a bar with what can be done, the letter, and beside it what is ours. */
export const submissionPage = (shown: Shown): Response => {
  const { email, form, id, fields, files, done, unsaved } = shown
  return frame({
    status: unsaved ? 400 : 200,
    title: `${titleOf(fields, form.settings)} · ${form.title} · Formbox`,
    width: 'list',
    header: header(formsPath, email),
    body: html`${bar(shown)}
${done}
${answered(shown)}
<div class="letter">
${letter({
  ...{ form, id, fields, files },
  toWhole: (position) => sentFieldPath(form.id, id, position),
  state: doneState(shown),
})}
<div class="aside">
${repeated(shown)}${noteSection(shown)}
${shown.record && confirmedSection(shown.record)}
${deliveryList(shown)}
${roleWords(shown)}
</div>
</div>`,
  })
}

/** Hidden inputs that lead to the next one after what is done here. */
const onward = ({ listQuery, neighbours, place }: Shown): Html => {
  const inputs = { ...moreOf({ listQuery, place }), next: neighbours.older ?? '' }
  return html`${hiddenInputs(listQuery)}${Object.entries(inputs).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  )}`
}

const moreOf = ({ listQuery, place }: Pick<Shown, 'listQuery' | 'place'>): Record<string, string> =>
  listQuery.state === 'unread' && place ? { of: String(place.of) } : {}

/** To the row in the list that led here. */
const backLink = ({ form, id, listQuery }: Shown): Html =>
  listQuery.from === 'inbox'
    ? html`<a class="back prev" href="${homePath()}#${toRowId(form.id, id)}" data-key="u">Inbox</a>`
    : html`<a class="back prev" href="${listPath(form.id, 'inbox', listQuery)}#${id}" data-key="u"><bdi>${visible(form.title)}</bdi></a>`

const bar = (shown: Shown): Html => {
  const { role, form, id, fields, handling, listQuery } = shown
  const inputs = onward(shown)
  const mayEdit = isEnough(role, 'edit')
  return html`<div class="bar">
${backLink(shown)}
<div class="actions">
${replyLink(fields, form.settings, form.title, mayEdit && handling.state === 'open')}
${
  mayEdit &&
  html`${action(
    handlingPath(form.id),
    id,
    inputs,
    handling.state === 'open'
      ? html`<button data-key="e" name="handling" value="done">Done</button>`
      : html`<button data-key="e" name="handling" value="open">Open again</button>`,
  )}
${action(markSpamPath(form.id), id, inputs, html`<button data-key="s">Spam</button>`)}`
}
<details class="menu start more" name="menus"><summary><span aria-hidden="true">⋯</span><span class="visually-hidden">More</span></summary>
<ul class="panel items">
<li>${action(markReadPath(form.id), id, hiddenInputs(listQuery), html`<button name="unread" value="true">Mark as unread</button>`)}</li>
<li><a href="${exportPath(form.id)}?format=json&amp;ids=${id}">Download .json</a></li>
${
  mayEdit &&
  html`<li class="apart">${action(deleteSubmissionsPath(form.id), id, hiddenInputs(listQuery), html`<button class="danger" data-key="#">Delete</button>`)}</li>
`
}<li class="apart"><p class="small muted">Identifier<br><code>${id}</code></p></li>
</ul></details>
</div>
${onwardLinks(shown)}
</div>`
}

const onwardLinks = ({ form, neighbours, place, listQuery }: Shown): Html => {
  const pathOf = (other: string): string =>
    `${submissionPath(form.id, other)}${queryString(listQuery, moreOf({ listQuery, place }))}`
  const link = (kind: 'prev' | 'next', name: string, other: string | undefined, keys: string): Html | false =>
    other !== undefined &&
    html`<a class="button icon quiet ${kind}" href="${pathOf(other)}" data-key="${keys}"><span class="visually-hidden">${name}</span></a>`
  return html`<nav class="place" aria-label="Submissions">
${place && html`<p>${withCommas(place.position)} of ${withCommas(place.of)}${listQuery.state === 'unread' && ' unread'}</p>`}
${link('prev', 'Newer', neighbours.newer, 'k ArrowLeft')}
${link('next', 'Older', neighbours.older, 'j ArrowRight')}
</nav>`
}

const action = (
  path: string,
  id: string,
  inputs: Html | Html[],
  button: Html,
): Html => html`<form method="post" action="${path}">
<input type="hidden" name="ids" value="${id}">
${inputs}${button}
</form>`

/** Asked after Reply, which a script follows with a jump to it: nothing is sent from here. */
const answered = (shown: Shown): Html | false =>
  isEnough(shown.role, 'edit') &&
  shown.handling.state === 'open' &&
  html`<div class="notice" id="answered" tabindex="-1"><p>Answered?</p>${action(handlingPath(shown.form.id), shown.id, onward(shown), html`<button name="handling" value="done">Mark as done</button>`)}</div>`

const doneState = ({ handling: { state, by, at } }: Shown): Html | false =>
  state === 'done' &&
  html`<span class="chip is-good">Done${by !== null && html` by ${by}`}${at !== null && html`, ${time(at)}`}</span>`

const noteSection = ({ role, email, form, id, notes, hasAllNotes, unsaved, listQuery }: Shown): Html | false =>
  noteThread({
    ...{ notes, email, formId: form.id, submissionId: id, unsaved },
    mayWrite: isEnough(role, 'edit'),
    mayRemove: isEnough(role, 'removeNotes'),
    isWhole: hasAllNotes,
    wholePath: `${submissionPath(form.id, id)}${queryString(listQuery, { notes: 'all' })}#notes`,
    back: hiddenInputs(listQuery),
  })

/** What was let in although a value of it comes once. */
const repeated = ({ form, first }: Shown): Html | false => {
  const text = repeatOf(first, form)
  return (
    text &&
    html`<p class="muted">${text}</p>
`
  )
}

const deliveryList = ({ role, form, id, deliveries, listQuery }: Shown): Html | false =>
  isEnough(role, 'deliver') &&
  deliveries.length > 0 &&
  html`<h2 id="deliveries">Where it went</h2>
<ul class="sent" aria-labelledby="deliveries">
${deliveries.map((delivery) =>
  deliveryFold({
    formId: form.id,
    delivery,
    back: html`<input type="hidden" name="back" value="${id}">
${hiddenInputs(listQuery)}`,
  }),
)}</ul>`

/** Tells a reader who can change what the reader may do. */
const roleWords = ({ role, owner }: Shown): Html | false =>
  !isEnough(role, 'edit') &&
  html`<h2>Your role</h2>
<p class="muted">You are a Reader of this form. ${owner === undefined ? 'Its owner' : html`<bdi>${owner}</bdi>, who owns it,`} can make you an Editor, who may write notes, mark and delete.</p>`

/** Beside a submission: when its address was confirmed, what the email said, and which boxes were ticked. */
const confirmedSection = (record: ConfirmRecord): Html => {
  const { mailedAt, confirmedAt, mail, consent } = record
  return html`<h2 id="confirmed">${confirmedAt === null ? 'Address not confirmed' : 'Confirmed address'}</h2>
<dl class="facts" aria-labelledby="confirmed">
${confirmedAt === null ? fact('Let in', letIn(record)) : fact('Confirmed', time(confirmedAt))}${fact('Email', mailedAt === null ? html`None was sent` : time(mailedAt))}${
  consent.length > 0 &&
  fact('Ticked', html`${consent.map((label, i) => html`${i > 0 && html`<br>`}<bdi>${visible(label)}</bdi>`)}`)
}</dl>
<details class="fold"><summary><span>What the email ${mailedAt === null ? 'would have said' : 'said'}</span></summary>
<p><strong>${visible(mail.subject)}</strong></p>
<pre dir="auto" tabindex="0">${visible(mail.text)}</pre>
</details>`
}

const fact = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`

const letIn = ({ acceptedAt, acceptedBy }: ConfirmRecord): Html =>
  html`by ${acceptedBy === null ? 'someone whose account is gone' : html`<bdi>${acceptedBy}</bdi>`}${acceptedAt !== null && html`, ${time(acceptedAt)}`}`

import { creationTime } from '../base/id.ts'
import { visible } from '../base/visible.ts'
import {
  deleteSubmissionsPath,
  handlingPath,
  homePath,
  markSpamPath,
  sentFieldPath,
  submissionPath,
} from '../config/addresses.ts'
import { isEnough } from '../forms/access.ts'
import { withLabels } from '../forms/fields/labels.ts'
import type { Form } from '../forms/form.ts'
import { ago, dayTime, time, withCommas } from '../html/format.ts'
import { frame, header } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pageLink } from '../html/pager.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import type { Handling } from '../submissions/handling.ts'
import type { Note } from '../submissions/notes.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { visitorsAddress } from '../submissions/visitors-address.ts'
import { deliveryItem, receiverOf } from './delivery-item.ts'
import type { FormPage } from './form-frame.ts'
import { hiddenInputs, type ListQuery, listPath, queryString } from './list-query.ts'
import { noteThread, type UnsavedNote } from './note-thread.ts'
import { shorter } from './selected-submissions.ts'
import type { SubmissionFiles } from './sent-files.ts'
import { bareNames, submittedFields } from './submission-fields.ts'
import { titleOf } from './summary.ts'

/** With more fields, the links to other submissions stand below them, too. */
const manyFields = 12

export interface Ordinal {
  /** From 1. */
  readonly position: number
  readonly of: number
}

interface Shown extends FormPage {
  readonly id: string
  readonly fields: readonly SubmittedField[]
  readonly files: SubmissionFiles
  readonly deliveries: readonly Delivery[]
  /** The page of the list that led here. */
  readonly listQuery: ListQuery
  /** Says what was just done. */
  readonly done: Html | false
  readonly handling: Handling
  readonly notes: readonly Note[]
  /** Whether all notes are shown, and not only the newest. */
  readonly hasAllNotes: boolean
  readonly unsaved: UnsavedNote | undefined
  /** Among the submissions of the form, or among the unread ones if these are what is read. */
  readonly place: Ordinal | undefined
  readonly neighbours: { readonly older: string | undefined; readonly newer: string | undefined }
}

/** One submission: its fields, and beside them the actions, the notes and its deliveries. */
export const submissionPage = (shown: Shown): Response => {
  const { email, role, form, id, fields, files, listQuery, neighbours, place, now, done, handling, unsaved } = shown
  const at = creationTime(id)
  const name = titleOf(fields, form.settings)
  const isUnreadOnly = listQuery.state === 'unread'
  const more: Record<string, string> = isUnreadOnly && place ? { of: String(place.of) } : {}
  const onward = html`${hiddenInputs(listQuery)}${Object.entries({ ...more, next: neighbours.older ?? '' }).map(
    ([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`,
  )}`
  const pathOf = (other: string | undefined): string | false =>
    other !== undefined && `${submissionPath(form.id, other)}${queryString(listQuery, more)}`
  const onwardLinks = (
    label: string,
    shownPlace: Ordinal | undefined,
    hasKeys: boolean,
  ) => html`<nav class="pages" aria-label="${label}">
${pageLink('newer', 'Newer', pathOf(neighbours.newer), hasKeys ? 'k ArrowLeft' : undefined)}
${shownPlace && html`<p>${withCommas(shownPlace.position)} of ${withCommas(shownPlace.of)}${isUnreadOnly && ' unread'}</p>`}
${pageLink('older', 'Older', pathOf(neighbours.older), hasKeys ? 'j ArrowRight' : undefined)}
</nav>`
  return frame({
    status: unsaved ? 400 : 200,
    title: `${name} · ${form.title} · Formbox`,
    width: 'wide',
    header: header(homePath, email),
    body: html`<div class="trail">
<p class="crumb"><a data-key="u" href="${listPath(form.id, 'inbox', listQuery)}#${id}"><bdi>${visible(form.title)}</bdi></a></p>
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
${submittedFields(withLabels(fields, form.settings), files, (position) => sentFieldPath(form.id, id, position))}</dl>
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
          handlingPath,
          id,
          form,
          onward,
          html`<button class="full" data-key="e" name="handling" value="done">${shorter('Mark as done', 'Done')}</button>`,
        )
      : action(
          handlingPath,
          id,
          form,
          onward,
          html`<button class="full" data-key="e" name="handling" value="open">${shorter('Open again', 'Reopen')}</button>`,
        )
  }
${action(markSpamPath, id, form, onward, html`<button class="full" data-key="s">${shorter('Mark as spam', 'Spam')}</button>`)}
${action(deleteSubmissionsPath, id, form, hiddenInputs(listQuery), html`<button class="danger full">Delete</button>`)}`
}
</div>
${noteSection(shown)}
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
  pathOf: (formId: string) => string,
  id: string,
  form: Form,
  inputs: Html | Html[],
  button: Html,
): Html => html`<form method="post" action="${pathOf(form.id)}">
<input type="hidden" name="ids" value="${id}">
${inputs}${button}
</form>`

/** Who did what about it, and the notes. */
const noteSection = (shown: Shown): Html => {
  const { role, email, form, id, handling, notes, hasAllNotes, unsaved, listQuery, now } = shown
  const { state, by, at } = handling
  return html`${
    at !== null &&
    html`<p class="muted small">${state === 'done' ? 'Done' : 'Opened again'}${by !== null && html` by ${by}`}, ${ago(at, now, 24, time(at))}</p>
`
  }${noteThread({
    ...{ notes, email, formId: form.id, submissionId: id, unsaved },
    mayWrite: isEnough(role, 'edit'),
    mayRemove: isEnough(role, 'removeNotes'),
    isWhole: hasAllNotes,
    wholePath: `${submissionPath(form.id, id)}${queryString(listQuery, { notes: 'all' })}#notes`,
    back: hiddenInputs(listQuery),
  })}`
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

/** A link that writes to the visitor's address, or else to that in the first field that is nothing but an e-mail address. */
const replyLink = (form: Form, fields: readonly SubmittedField[]): Html | false => {
  const values = fields.map(({ json }) => (json.startsWith('"') && json.length < 300 ? JSON.parse(json) : ''))
  const address = [visitorsAddress(fields, form.settings) ?? '', ...values].find((value) =>
    /^[\w.+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i.test(value),
  )
  if (address === undefined) return false
  const subject = encodeURIComponent(`Re: ${form.title.toWellFormed()}`)
  return html`<a class="button primary full" data-key="r" href="mailto:${address}?subject=${subject}">${shorter('Reply by email', 'Reply')}</a>`
}

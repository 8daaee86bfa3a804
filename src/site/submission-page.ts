import type { Delivery } from '../deliveries/store.ts'
import type { Form } from '../forms/ownership.ts'
import { ago, dayTime } from '../html/format.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { creationTime } from '../id.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { deliveryItem, receiverOf, retriedText } from './delivery-item.ts'
import { formPath } from './form-frame.ts'
import { type ListPlace, placeInputs, placePath, placeQuery } from './list-place.ts'
import { submittedFields } from './submission-fields.ts'
import { titleOf } from './submission-title.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  readonly id: string
  readonly fields: readonly SubmittedField[]
  /** Who was told of it. */
  readonly deliveries: readonly Delivery[]
  /** Of the list that led here. */
  readonly place: ListPlace
  readonly now: number
  /** Whether a delivery was just made due. */
  readonly isRetried: boolean
  readonly neighbours: { readonly older: string | undefined; readonly newer: string | undefined }
}

export const submissionPage = (shown: Shown): Response => {
  const { email, form, id, fields, place, neighbours, now, isRetried } = shown
  const at = creationTime(id)
  const name = titleOf(fields)
  const path = `${formPath(form.id)}/submissions/${id}`
  const pathOf = (other: string): string => `${formPath(form.id)}/submissions/${other}${placeQuery(place)}`
  return frame({
    title: `${name} · ${form.title} · Formbox`,
    width: 'wide',
    header: header('/', email),
    body: html`<div class="trail">
<p class="crumb"><a href="${placePath(form.id, place)}"><bdi>${form.title}</bdi></a></p>
<nav class="pages" aria-label="Submissions">
${neighbour('newer', 'Newer', neighbours.newer && pathOf(neighbours.newer))}
${neighbour('older', 'Older', neighbours.older && pathOf(neighbours.older))}
</nav>
</div>
<h1><bdi>${name}</bdi></h1>
<p class="lead">${dayTime(at)} <span class="apart">${ago(at, now, 24)}</span></p>
${isRetried && notice('done', retriedText)}
<div class="sheet">
<section class="card" aria-label="What was sent">
${
  fields.length === 0
    ? html`<p class="muted">No fields were sent.</p>`
    : html`<dl class="fields">
${submittedFields(fields, path)}</dl>`
}
</section>
<div class="aside">
<div class="stack">
${replyLink(form, fields)}
${action('spam', id, form, place, html`<button class="full">Mark as spam</button>`)}
${action('delete', id, form, place, html`<button class="danger full">Delete</button>`)}
</div>
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
  what: 'spam' | 'delete',
  id: string,
  form: Form,
  place: ListPlace,
  button: Html,
): Html => html`<form method="post" action="${formPath(form.id)}/submissions/${what}">
<input type="hidden" name="ids" value="${id}">
${placeInputs(place)}${button}
</form>`

const deliveryList = ({ form, id, deliveries, place }: Shown): Html | false =>
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
${placeInputs(place)}`,
  }),
)}</ol>
</section>`

const neighbour = (kind: string, name: string, path: string | undefined): Html =>
  path === undefined
    ? html`<span class="button ${kind} off" aria-hidden="true">${name}</span>`
    : html`<a class="button ${kind}" href="${path}">${name}</a>`

/** To the first field that holds nothing but an e-mail address; `email` wins. */
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
  return html`<a class="button primary full" href="mailto:${encodeURI(address)}?subject=${subject}">Reply by e-mail</a>`
}

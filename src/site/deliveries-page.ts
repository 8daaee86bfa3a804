import type { Delivery, DeliveryState } from '../deliveries/store.ts'
import type { Form } from '../forms/ownership.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { type Html, html } from '../html/html.ts'
import { notice } from '../html/notice.ts'
import { pager } from '../html/pager.ts'
import type { ListPage } from '../list-page.ts'
import { deliveryItem, receiverOf, retriedText } from './delivery-item.ts'
import { formPath } from './form-frame.ts'
import { submissionLink } from './webhook-section.ts'

interface Shown extends ListPage {
  readonly email: string
  readonly form: Form
  /** The one that is shown; null for all. */
  readonly state: DeliveryState | null
  readonly deliveries: readonly Delivery[]
  readonly total: number
  /** Whether one was just made due. */
  readonly isRetried: boolean
}

export const deliveriesPage = ({ email, form, state, deliveries, isRetried, ...paged }: Shown): Response =>
  frame({
    title: `Deliveries · ${form.title} · Formbox`,
    width: 'wide',
    header: header('/', email),
    body: html`<div class="trail">
<p class="crumb"><a href="${formPath(form.id)}"><bdi>${form.title}</bdi></a></p>
</div>
<h1>Deliveries</h1>
<p class="lead">Who was told of a submission, and who is still to be told.</p>
<nav class="tabs" aria-label="States">
${filters.map(
  ([
    value,
    name,
  ]) => html`<a href="${deliveriesPath(form.id, value)}"${value === state && html` aria-current="page"`}>${name}</a>
`,
)}</nav>
${isRetried && notice('done', retriedText)}
${
  deliveries.length === 0
    ? html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">None</h2>
<p>${nothing(state)}</p>
</section>`
    : html`<ol class="card log">
${deliveries.map((delivery) => item(form.id, delivery, state))}</ol>
${pager({ ...paged, toPath: (page) => deliveriesPath(form.id, state, page > 1 ? { page: String(page) } : {}) })}`
}`,
  })

const filters = [
  [null, 'All'],
  ['pending', 'Waiting'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
] as const

/** The path of the list of those in one state; null for all. */
export const deliveriesPath = (
  formId: string,
  state: DeliveryState | null,
  more: Readonly<Record<string, string>> = {},
): string => {
  const query = new URLSearchParams({ ...(state !== null && { state }), ...more }).toString()
  return `${formPath(formId)}/deliveries${query && `?${query}`}`
}

const nothing = (state: DeliveryState | null): string => {
  if (state === 'failed') return 'Nothing failed in the last 90 days.'
  if (state === 'pending') return 'Nobody is still to be told.'
  return 'Nobody was told of anything in the last 30 days.'
}

const item = (formId: string, delivery: Delivery, state: DeliveryState | null): Html =>
  deliveryItem({
    formId,
    delivery,
    heading: html`${receiverOf(delivery)}${delivery.submission !== null && html` · ${submissionLink(formId, delivery)}`}`,
    back: html`<input type="hidden" name="state" value="${state ?? ''}">
`,
  })

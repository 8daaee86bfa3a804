import type { DeliveryState } from '../deliveries/delivery-reads.ts'
import type { Delivery } from '../deliveries/store.ts'
import type { Form } from '../forms/ownership.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
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
  /** Whether something failed for good, or is still tried after a failure. */
  readonly hasUndelivered: boolean
  readonly done: Done | null
}

/** What was just made due: one delivery, all that were not delivered, or none of them. */
export const allDone = ['retried', 'all', 'none'] as const
export type Done = (typeof allDone)[number]

export const deliveriesPage = ({ email, form, state, deliveries, hasUndelivered, done, ...paged }: Shown): Response =>
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
${done === 'none' ? notice('failed', doneWords.none) : done && notice('done', doneWords[done])}
${hasUndelivered && state !== 'delivered' && retryAll(form.id, state)}
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

const doneWords: Readonly<Record<Done, string>> = {
  retried: retriedText,
  all: 'All undelivered ones are being sent now. Reload the page to see what came back.',
  none: 'Nothing can be tried again. Is the webhook switched off? The settings of the form say so.',
}

const retryAll = (formId: string, state: DeliveryState | null): Html =>
  html`<div class="toolbar">
<form method="post" action="${formPath(formId)}/deliveries/retry">
<input type="hidden" name="state" value="${state ?? ''}">
<button>Try all undelivered again</button>
</form>
</div>`

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

import { type DeliveryState, deliveryStates } from '../deliveries/delivery-reads.ts'
import type { Delivery, DeliveryStore } from '../deliveries/store.ts'
import type { Form } from '../forms/ownership.ts'
import type { FormStore } from '../forms/store.ts'
import { count } from '../html/format.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pager, readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { isOwnId } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import { deliveryItem, receiverOf, retriedText, submissionLink } from './delivery-item.ts'
import { formPath, settingsPath } from './form-frame.ts'
import { queryString, toListQuery } from './list-query.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface DeliveryParams extends FormParams {
  readonly deliveryId: string
}

interface Options {
  readonly forms: FormStore
  readonly deliveries: DeliveryStore
}

const perPage = 20

/** `/forms/:formId/deliveries`: lists the deliveries of a form, and tries them again. */
export const deliveriesHandlers = ({ forms, deliveries }: Options) => ({
  show({ session, params, query }: UserVisit<FormParams>): Response {
    const { userId, email } = session
    const form = forms.findFormTo('deliver', userId, params.formId)
    const state = toState(query.state)
    const states = state === null ? deliveryStates : [state]
    const { deliveries: listed, ...paged } = readPage(query.page, perPage, (page) =>
      deliveries.listDeliveries(userId, form.id, states, page),
    )
    const canRetry = hasUndelivered(deliveries.findFailures(form))
    return deliveriesPage({ email, form, state, deliveries: listed, canRetry, done: toDone(query.done), ...paged })
  },

  async retry({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
    await deliveries.retryDelivery(session.userId, params.formId, params.deliveryId)
    return redirect(`${pathBack(params.formId, form)}#notice`)
  },

  async retryAll({ session, params, form }: UserSent<FormParams>): Promise<Response> {
    const count = await deliveries.retryDeliveries(session.userId, params.formId)
    const done = count === 0 ? 'none' : 'all'
    return redirect(`${deliveriesPath(params.formId, toState(form.get('state')), { done })}#notice`)
  },
})

/** The path of the page whose button it was. */
const pathBack = (formId: string, sent: URLSearchParams): string => {
  const back = sent.get('back') ?? ''
  if (isOwnId(back)) {
    const query = queryString(toListQuery(Object.fromEntries(sent)), { done: 'retried' })
    return `${formPath(formId)}/submissions/${back}${query}`
  }
  if (back === 'settings') return `${settingsPath(formId)}?done=retried`
  return deliveriesPath(formId, toState(sent.get('state')), { done: 'retried' })
}

const toDone = (text: unknown): Done | null => allDone.find((done) => done === text) ?? null

const toState = (text: unknown): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null

interface Shown extends ListPage {
  readonly email: string
  readonly form: Form
  /** The state that is shown; null for all. */
  readonly state: DeliveryState | null
  readonly deliveries: readonly Delivery[]
  readonly total: number
  /** Whether there are deliveries that failed, for good or at their last attempt. */
  readonly canRetry: boolean
  readonly done: Done | null
}

/** The deliveries that are tried again: one, all that were not delivered, or none of them. */
const allDone = ['retried', 'all', 'none'] as const
type Done = (typeof allDone)[number]

const deliveriesPage = ({ email, form, state, deliveries, canRetry, done, ...paged }: Shown): Response =>
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
${canRetry && state !== 'delivered' && retryAll(form.id, state)}
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
${stateInput(state)}<button>Try all undelivered again</button>
</form>
</div>`

const filters = [
  [null, 'All'],
  ['pending', 'Waiting'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
] as const

/** The path of the list of deliveries in one state; null for all. */
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
    back: stateInput(state),
  })

const stateInput = (state: DeliveryState | null): Html => html`<input type="hidden" name="state" value="${state ?? ''}">
`

export type Undelivered = ReturnType<DeliveryStore['findFailures']>

/** Whether deliveries of a form have failed, for good or at their last attempt. */
export const hasUndelivered = ({ failed, failing }: Undelivered): boolean => failed > 0 || failing > 0

/** Says on the page of a form that deliveries have failed, and links to them. */
export const undeliveredLine = (formId: string, undelivered: Undelivered): Html | false => {
  if (!hasUndelivered(undelivered)) return false
  const { failed } = undelivered
  const [text, state] =
    failed > 0
      ? ([failed === 1 ? 'One delivery failed.' : `${count(failed)} deliveries failed.`, 'failed'] as const)
      : (['Somebody could not be told of a submission.', 'pending'] as const)
  return html`<p class="notice failed">${text} <a href="${deliveriesPath(formId, state)}">See what happened</a></p>`
}

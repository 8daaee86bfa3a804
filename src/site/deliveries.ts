import { isOwnId } from '../base/id.ts'
import type { ListPage } from '../base/list-page.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import {
  deliveriesPath,
  formPath,
  formsPath,
  retryDeliveriesPath,
  retryDeliveryPath,
  settingsPath,
  stopDeliveriesPath,
  submissionPath,
} from '../config/addresses.ts'
import { type FormAccess, isEnough } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { addressOf } from '../forms/settings/notify-entries.ts'
import type { FormStore } from '../forms/store.ts'
import type { WebhookStore } from '../forms/webhooks/store.ts'
import { withCommas } from '../html/format.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pager, readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { type DeliveryState, deliveryStates } from '../submissions/deliveries/delivery-reads.ts'
import type { Delivery, DeliveryStore } from '../submissions/deliveries/store.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { cameBack, lastFailure, receiverOf, retriedText } from './delivery-item.ts'
import { queryString, toListQuery } from './list-query.ts'
import type { PageAccess } from './page-access.ts'
import { receiverGroup } from './receiver-group.ts'
import { firstFields, titleOf } from './summary.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface DeliveryParams extends FormParams {
  readonly deliveryId: string
}

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly forms: FormStore
  readonly deliveries: DeliveryStore
  readonly submissions: Pick<SubmissionStore, 'findSubmissions'>
  readonly webhooks: Pick<WebhookStore, 'updateWebhook'>
}

const perPage = 20

/** `/forms/:formId/deliveries`: lists the deliveries of a form, tries them again, and ends those to a receiver. */
export const deliveriesRoutes = ({
  pages: { userAction, userPage },
  access,
  forms,
  deliveries,
  submissions,
  webhooks,
}: Options) => {
  const on = {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId, email } = session
      const form = access.findFormTo('deliver', userId, params.formId)
      const state = toState(query.state)
      const states = state === null ? deliveryStates : [state]
      const { deliveries: listed, ...paged } = readPage(query.page, perPage, (page) =>
        deliveries.listDeliveries(userId, form, states, page),
      )
      const about = submissions.findSubmissions(
        form,
        'inbox',
        listed.flatMap(({ submission }) => submission ?? []),
      )
      const titles = new Map(
        about.submissions.map((one) => [
          one.id,
          titleOf(firstFields({ ...about, submissions: [one] }).fields, form.settings),
        ]),
      )
      const canRetry = hasUndelivered(deliveries.findFailures(form))
      const counts = deliveries.countDeliveries(form)
      const done = toDone(query.done)
      const canStop = isEnough(access.roleOf(userId, form), 'webhooks')
      return deliveriesPage({
        email,
        form,
        state,
        counts,
        deliveries: listed,
        titles,
        canRetry,
        canStop,
        done,
        ...paged,
      })
    },

    async retry({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
      await deliveries.retryDelivery(session.userId, params.formId, params.deliveryId)
      return redirect(`${pathBack(params.formId, form)}#notice`)
    },

    async retryAll({ session, params, form }: UserSent<FormParams>): Promise<Response> {
      const receiverId = form.get('receiver') ?? undefined
      const count = await deliveries.retryDeliveries(session.userId, params.formId, receiverId)
      const done = count === 0 ? 'none' : receiverId === undefined ? 'all' : 'there'
      return redirect(`${listPath(params.formId, toState(form.get('state')), { done })}#notice`)
    },

    async stop({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { userId } = session
      const form = access.findFormTo('webhooks', userId, params.formId)
      const id = sent.get('receiver') ?? ''
      const receiver = deliveries.findReceiver(form, id)
      const back = (done: Done) => redirect(`${listPath(form.id, toState(sent.get('state')), { done })}#notice`)
      if (receiver?.kind === 'webhook') {
        await webhooks.updateWebhook(userId, form.id, id, { enabled: false })
        return back('off')
      }
      if (receiver?.kind !== 'email') return back('gone')
      const address = receiver.target.toLowerCase()
      await forms.reviseFormSettings(userId, form.id, ({ notify }) => ({
        notify: notify.filter((entry) => addressOf(entry).toLowerCase() !== address),
      }))
      return back('removed')
    },
  }

  return [
    userPage(deliveriesPath, on.show),
    userAction(retryDeliveriesPath, settingsPath, on.retryAll),
    userAction(stopDeliveriesPath, deliveriesPath, on.stop),
    userAction(retryDeliveryPath, settingsPath, on.retry),
  ]
}

/** The path of the page whose button it was. */
const pathBack = (formId: string, sent: URLSearchParams): string => {
  const back = sent.get('back') ?? ''
  if (isOwnId(back)) {
    const query = queryString(toListQuery(Object.fromEntries(sent)), { done: 'retried' })
    return `${submissionPath(formId, back)}${query}`
  }
  if (back === 'settings') return `${settingsPath(formId)}?done=retried`
  return listPath(formId, toState(sent.get('state')), { done: 'retried' })
}

const toDone = (text: unknown): Done | null => allDone.find((done) => done === text) ?? null

const toState = (text: unknown): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null

interface Shown extends ListPage {
  readonly email: string
  readonly form: Form
  /** The state that is shown; null for all. */
  readonly state: DeliveryState | null
  /** How many there are in each state. */
  readonly counts: Readonly<Record<DeliveryState, number>>
  readonly deliveries: readonly Delivery[]
  /** The titles of their submissions. */
  readonly titles: ReadonlyMap<string, string>
  readonly total: number
  /** Whether there are deliveries that failed, for good or at their last attempt. */
  readonly canRetry: boolean
  /** Whether the user may switch off a webhook, and take an address from the settings. */
  readonly canStop: boolean
  readonly done: Done | null
}

/**
 * One delivery is tried again, all that were not delivered, those to one receiver, or none; or a receiver gets no more, by
 * this or from before.
 */
const allDone = ['retried', 'all', 'there', 'none', 'off', 'removed', 'gone'] as const
type Done = (typeof allDone)[number]

const deliveriesPage = ({
  email,
  form,
  state,
  counts,
  deliveries,
  titles,
  canRetry,
  canStop,
  done,
  ...paged
}: Shown): Response =>
  frame({
    title: `Deliveries · ${form.title} · Formbox`,
    width: 'wide',
    header: header(formsPath, email),
    body: html`<div class="trail">
<p class="crumb"><a href="${formPath(form.id)}"><bdi>${visible(form.title)}</bdi></a></p>
</div>
<h1>Deliveries</h1>
<p class="lead">Emails, replies and webhook requests about submissions, and whether they arrived.</p>
<nav class="tabs" aria-label="States">
${filters.map(
  ([
    value,
    name,
  ]) => html`<a href="${listPath(form.id, value)}"${value === state && html` aria-current="page"`}>${name}${value !== null && counts[value] > 0 && html` <span class="count">${withCommas(counts[value])}</span>`}</a>
`,
)}</nav>
${done === 'none' ? notice('failed', doneWords.none(form.id)) : done && notice('done', doneWords[done](form.id))}
${canRetry && state !== 'delivered' && state !== 'skipped' && retryAll(form.id, state)}
${
  deliveries.length === 0
    ? html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">None</h2>
<p>${nothing(state)}</p>
</section>`
    : html`${[...Map.groupBy(deliveries, ({ receiverId }) => receiverId).values()].map((group) => receiverGroup({ formId: form.id, deliveries: group, titles, canStop, back: stateInput(state) }))}
${pager({ ...paged, toPath: (page) => listPath(form.id, state, page > 1 ? { page: String(page) } : {}) })}`
}`,
  })

const doneWords: Readonly<Record<Done, (formId: string) => string | Html>> = {
  retried: () => retriedText,
  all: () => 'Everything undelivered is being sent now. Reload the page to see the results.',
  there: () => 'Everything undelivered to this receiver is being sent now. Reload the page to see the results.',
  none: () => 'There is nothing to try again. Check in the settings whether the webhook is switched off.',
  off: (formId) => html`The webhook is switched off. <a href="${settingsPath(formId)}">Switch it on again</a>`,
  removed: (formId) =>
    html`The address gets no more emails about this form. <a href="${settingsPath(formId)}">Who gets them</a>`,
  gone: () => 'This address or webhook was removed earlier. Nothing more is sent to it.',
}

const retryAll = (formId: string, state: DeliveryState | null): Html =>
  html`<div class="toolbar">
<form method="post" action="${retryDeliveriesPath(formId)}">
${stateInput(state)}<button>Try all undelivered again</button>
</form>
</div>`

const filters = [
  [null, 'All'],
  ['pending', 'Waiting'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
  ['skipped', 'Skipped'],
] as const

/** The path of the list of deliveries in one state; null for all. */
const listPath = (formId: string, state: DeliveryState | null, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...(state !== null && { state }), ...more }).toString()
  return `${deliveriesPath(formId)}${query && `?${query}`}`
}

const nothing = (state: DeliveryState | null): string => {
  if (state === 'failed') return 'Nothing failed in the last 90 days.'
  if (state === 'pending') return 'Nothing is waiting.'
  if (state === 'skipped') return 'No reply was skipped in the last 30 days.'
  return 'Nothing was sent in the last 30 days.'
}

const stateInput = (state: DeliveryState | null): Html => html`<input type="hidden" name="state" value="${state ?? ''}">
`

type Undelivered = ReturnType<DeliveryStore['findFailures']>

/** Whether deliveries of a form have failed, for good or at their last attempt. */
export const hasUndelivered = ({ failed, failing }: Undelivered): boolean => failed > 0 || failing > 0

/** Says on the page of a form that deliveries have failed, to whom and why, and links to them. */
export const undeliveredLine = (
  formId: string,
  undelivered: Undelivered,
  worst: Delivery | undefined,
): Html | false => {
  if (!hasUndelivered(undelivered)) return false
  const { failed } = undelivered
  const [text, state] =
    failed > 0
      ? ([failed === 1 ? 'One delivery failed.' : `${withCommas(failed)} deliveries failed.`, 'failed'] as const)
      : (['A delivery failed and will be tried again.', 'pending'] as const)
  const said = worst && lastFailure(worst)
  const why =
    said &&
    html` ${receiverOf(worst)}: ${cameBack(said)}${said.answer !== '' && html` <q>${oneLine(visible(said.answer)).slice(0, 200)}</q>`}.`
  return html`<div class="notice failed"><p>${text}${why}</p><a href="${listPath(formId, state)}">See what happened</a></div>
`
}

import { isOwnId } from '../base/id.ts'
import type { ListPage } from '../base/list-page.ts'
import {
  deliveriesPath,
  dismissDeliveryPath,
  formPath,
  type ParamsOf,
  retryDeliveriesPath,
  retryDeliveryPath,
  settingsPath,
  stopDeliveriesPath,
  submissionPath,
} from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { withoutAddresses } from '../forms/settings/notify-entries.ts'
import { withCommas } from '../html/format.ts'
import { notice, noticeOf } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { deliveryKinds, receiverKinds } from '../outbox/kinds.ts'
import { type DeliveryState, deliveryStates } from '../submissions/deliveries/delivery-reads.ts'
import type { Delivery, ReceiverDeliveries } from '../submissions/deliveries/store.ts'
import { firstFields, titleOf } from '../submissions/lines.ts'
import { deliveryRow, receiverOf, retriedText } from './delivery-item.ts'
import { formFrame } from './form-frame.ts'
import { queryString, toListQuery } from './list-query.ts'
import { besidePage, listFoot } from './list-tools.ts'
import { receiverGroup } from './receiver-group.ts'
import type { SettingsOptions } from './settings-frame.ts'
import { triedAgain } from './told-list.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

type DeliveryParams = ParamsOf<typeof retryDeliveryPath.route>

const perPage = 20

/** `/forms/:formId/deliveries`: lists the deliveries of a form, tries them again, and ends those to a receiver. */
export const deliveriesRoutes = (options: SettingsOptions) => {
  const { formPage, userAction, userPage } = options.pages
  const { access, forms, deliveries, submissions, webhooks, settingsFrame } = options

  /** The titles of the submissions that they are about. */
  const titlesOf = (form: FormTo<'deliver'>, listed: readonly Delivery[]): ReadonlyMap<string, string> => {
    const ids = [...new Set(listed.flatMap(({ submission }) => submission ?? []))]
    const about = submissions.findSubmissions(form, 'inbox', ids)
    return new Map(about.submissions.map((one) => [one.id, titleOf(firstFields(about, one).fields, form.settings)]))
  }

  const groupsIn = (userId: string, form: FormTo<'deliver'>, shared: { canChange: boolean; done: unknown }): Html => {
    const groups = deliveries.findByReceiver(userId, form)
    const titles = titlesOf(
      form,
      groups.flatMap(({ lately, waiting, failed }) => [...lately, ...waiting, ...failed]),
    )
    return deliveryGroups({ formId: form.id, groups, titles, counts: deliveries.countDeliveries(form), ...shared })
  }

  const on = {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId } = session
      const form = access.findFormTo('deliver', userId, params.formId)
      const state = toState(query.state)
      const canChange = access.mayDo(userId, form, 'webhooks')
      const shared = { formId: form.id, canChange, done: query.done }
      const name = state === null ? 'Deliveries' : `${stateNames[state]} · Deliveries`
      const listIn = (one: DeliveryState): Html => {
        const found = readPage(query.page, perPage, (page) => deliveries.listDeliveries(userId, form, [one], page))
        return deliveryList({ ...found, ...shared, state: one, titles: titlesOf(form, found.deliveries) })
      }
      const content = state === null ? groupsIn(userId, form, shared) : listIn(state)
      if (access.mayDo(userId, form, 'configure'))
        return settingsFrame(session, access.findFormTo('configure', userId, form.id), {
          current: 'told',
          name,
          heading: html``,
          body: content,
        })
      return formFrame({
        ...formPage(session, form),
        name,
        tab: 'Submissions',
        body: html`<div class="parts">${content}</div>`,
      })
    },

    async retry({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
      await deliveries.retryDelivery(session.userId, params.formId, params.deliveryId)
      return redirect(`${pathBack(params.formId, form)}#notice`)
    },

    async dismiss({ session, params, form }: UserSent<DeliveryParams>): Promise<Response> {
      await deliveries.dismissDelivery(session.userId, params.formId, params.deliveryId)
      return redirect(`${listPath(params.formId, toState(form.get('state')), { done: 'dismissed' })}#notice`)
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
      await forms.reviseFormSettings(userId, form.id, ({ notify }) => ({
        notify: withoutAddresses(notify, [receiver.target]),
      }))
      return back('removed')
    },
  }

  return [
    userPage(deliveriesPath, on.show),
    userAction(retryDeliveriesPath, settingsPath, on.retryAll),
    userAction(stopDeliveriesPath, deliveriesPath, on.stop),
    userAction(retryDeliveryPath, settingsPath, on.retry),
    userAction(dismissDeliveryPath, deliveriesPath, on.dismiss),
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

const toState = (text: unknown): DeliveryState | null => deliveryStates.find((state) => state === text) ?? null

interface Shown {
  readonly formId: string
  /** The titles of their submissions. */
  readonly titles: ReadonlyMap<string, string>
  /** Whether the user may change the receivers. */
  readonly canChange: boolean
  readonly done: unknown
}

interface ShownGroups extends Shown {
  readonly groups: readonly ReceiverDeliveries[]
  /** How many there are in each state. */
  readonly counts: Readonly<Record<DeliveryState, number>>
}

/** The deliveries of a form, receiver by receiver. */
const deliveryGroups = ({ formId, groups, counts, ...shown }: ShownGroups): Html => {
  const count = groups
    .filter(({ receiver }) => receiverKinds[receiver.kind].isAlarming)
    .reduce((sum, { receiver }) => sum + triedAgain(receiver), 0)
  const sent = groups.filter(({ lately, waiting, failed }) => lately.length + waiting.length + failed.length > 0)
  const listed = deliveryStates.filter((state) => counts[state] > 0)
  return html`<div class="between"><h2>${backLink(formId, shown.canChange)} · Deliveries</h2>${
    count > 0 &&
    html`<form method="post" action="${retryDeliveriesPath(formId)}"><button class="primary">${count === 1 ? 'Try it again' : `Try all ${withCommas(count)} again`}</button></form>`
  }</div>
${doneNotice(formId, shown.done)}${
  listed.length === 0
    ? html`<p class="muted">Nothing was sent yet.</p>`
    : html`<form method="post">
${sent.map((group) => receiverGroup({ formId, ...shown, ...group }))}</form>
<p class="muted">In one list: ${listed.map((state, at) => html`${at > 0 && ', '}<a href="${listPath(formId, state)}">${withCommas(counts[state])} ${stateNames[state].toLowerCase()}</a>`)}</p>`
}`
}

const backLink = (formId: string, canChange: boolean): Html =>
  canChange
    ? html`<a class="prev" href="${settingsPath(formId)}">Get told</a>`
    : html`<a class="prev" href="${formPath(formId)}">Submissions</a>`

interface ShownList extends Shown, ListPage {
  readonly state: DeliveryState
  readonly deliveries: readonly Delivery[]
  readonly total: number
}

/** Those in one state, newest first, with the receiver above each run of them. */
const deliveryList = ({ formId, titles, done, state, deliveries, page, perPage, total }: ShownList): Html => {
  const toPage = (to: number): string => listPath(formId, state, { page: String(to) })
  return html`<div class="between"><h2><a class="prev" href="${deliveriesPath(formId)}">Deliveries</a> · ${stateNames[state]}</h2></div>
${doneNotice(formId, done)}${
  deliveries.length === 0
    ? html`<p class="muted">${nothing[state]}</p>`
    : html`<form method="post"><input type="hidden" name="state" value="${state}">
${[...Map.groupBy(deliveries, ({ receiverId }) => receiverId).values()].map(
  (group) => html`<section class="card" aria-labelledby="to-${group[0]?.receiverId}">
<h3 id="to-${group[0]?.receiverId}">${nameOf(group[0] as Delivery)}</h3>
<ul class="things">
${group.map((delivery) => deliveryRow({ formId, delivery, title: titles.get(delivery.submission ?? '') }))}</ul>
</section>
`,
)}</form>
${listFoot({ text: html`${withCommas(total)} in this list.`, ...besidePage({ page, perPage, total }, toPage) })}`
}`
}

const nameOf = (delivery: Delivery): Html => {
  const { name } = receiverKinds[deliveryKinds[delivery.kind].to]
  return name === undefined ? receiverOf(delivery) : html`${name}`
}

/** The path of the list of deliveries in one state; of all receivers for null. */
const listPath = (formId: string, state: DeliveryState | null, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...(state !== null && { state }), ...more }).toString()
  return `${deliveriesPath(formId)}${query && `?${query}`}`
}

const stateNames = { pending: 'Waiting', failed: 'Failed', delivered: 'Accepted', skipped: 'Not sent' } as const

const nothing: Readonly<Record<DeliveryState, string>> = {
  failed: 'Nothing failed in the last 90 days.',
  pending: 'Nothing is waiting.',
  skipped: 'Everything was sent in the last 30 days.',
  delivered: 'Nothing was accepted in the last 30 days.',
}

/** One that was just done, or all of them, or those to one receiver; or a receiver gets no more, by this or from before. */
const doneWords = (formId: string) => ({
  retried: retriedText,
  dismissed: 'Dismissed. It no longer counts as failed.',
  all: 'Everything undelivered is being sent now. Reload the page to see the results.',
  there: 'Everything undelivered to this receiver is being sent now. Reload the page to see the results.',
  off: html`The webhook is switched off. <a href="${settingsPath(formId)}">Switch it on again</a>`,
  removed: html`The address gets no more emails about this form. <a href="${settingsPath(formId)}">Who gets them</a>`,
  gone: 'This address or webhook was removed earlier. Nothing more is sent to it.',
})
type Done = keyof ReturnType<typeof doneWords>

const doneNotice = (formId: string, done: unknown): Html | false =>
  done === 'none'
    ? notice('failed', 'There is nothing to try again. Check in the settings whether the webhook is switched off.')
    : noticeOf(doneWords(formId), done)

import type { ListPage } from '../base/list-page.ts'
import { deliveriesPath, formPath, retryDeliveriesPath, settingsPath } from '../config/addresses.ts'
import { withCommas } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { deliveryKinds, receiverKinds } from '../outbox/kinds.ts'
import { type DeliveryState, deliveryStates } from '../submissions/deliveries/delivery-reads.ts'
import type { Delivery, ReceiverDeliveries } from '../submissions/deliveries/store.ts'
import { deliveryRow, receiverOf, retriedText } from './delivery-item.ts'
import { listFoot } from './list-tools.ts'
import { receiverGroup, visitorMails } from './receiver-group.ts'
import { triedAgain } from './told-list.ts'

interface Shown {
  readonly formId: string
  /** The titles of their submissions. */
  readonly titles: ReadonlyMap<string, string>
  /** Whether the user may change the receivers. */
  readonly canChange: boolean
  readonly done: Done | null
}

interface ShownGroups extends Shown {
  readonly groups: readonly ReceiverDeliveries[]
  /** How many there are in each state. */
  readonly counts: Readonly<Record<DeliveryState, number>>
}

/**
 * One delivery is tried again or dismissed, all that were not delivered are, those to one receiver, or none; or a receiver
 * gets no more, by this or from before.
 */
const allDone = ['retried', 'dismissed', 'all', 'there', 'none', 'off', 'removed', 'gone'] as const
export type Done = (typeof allDone)[number]

export const toDone = (text: unknown): Done | null => allDone.find((done) => done === text) ?? null

/** The deliveries of a form, receiver by receiver. */
export const deliveryGroups = ({ formId, groups, counts, ...shown }: ShownGroups): Html => {
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
export const deliveryList = ({ formId, titles, done, state, deliveries, page, perPage, total }: ShownList): Html => {
  const toPage = (to: number | false) => (to === false ? undefined : listPath(formId, state, { page: String(to) }))
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
${listFoot({ text: html`${withCommas(total)} in this list.`, newer: toPage(page > 1 && page - 1), older: toPage(page * perPage < total && page + 1) })}`
}`
}

const nameOf = (delivery: Delivery): Html => {
  const kind = deliveryKinds[delivery.kind].to
  const name = visitorMails[kind]
  return name === undefined ? receiverOf(delivery) : html`${name}`
}

/** The path of the list of deliveries in one state; of all receivers for null. */
export const listPath = (
  formId: string,
  state: DeliveryState | null,
  more: Readonly<Record<string, string>> = {},
): string => {
  const query = new URLSearchParams({ ...(state !== null && { state }), ...more }).toString()
  return `${deliveriesPath(formId)}${query && `?${query}`}`
}

export const stateNames = { pending: 'Waiting', failed: 'Failed', delivered: 'Accepted', skipped: 'Not sent' } as const

const nothing: Readonly<Record<DeliveryState, string>> = {
  failed: 'Nothing failed in the last 90 days.',
  pending: 'Nothing is waiting.',
  skipped: 'Everything was sent in the last 30 days.',
  delivered: 'Nothing was accepted in the last 30 days.',
}

const doneNotice = (formId: string, done: Done | null): Html | false =>
  done !== null && notice(done === 'none' ? 'failed' : 'done', doneWords[done](formId))

const doneWords: Readonly<Record<Done, (formId: string) => string | Html>> = {
  retried: () => retriedText,
  dismissed: () => 'Dismissed. It no longer counts as failed.',
  all: () => 'Everything undelivered is being sent now. Reload the page to see the results.',
  there: () => 'Everything undelivered to this receiver is being sent now. Reload the page to see the results.',
  none: () => 'There is nothing to try again. Check in the settings whether the webhook is switched off.',
  off: (formId) => html`The webhook is switched off. <a href="${settingsPath(formId)}">Switch it on again</a>`,
  removed: (formId) =>
    html`The address gets no more emails about this form. <a href="${settingsPath(formId)}">Who gets them</a>`,
  gone: () => 'This address or webhook was removed earlier. Nothing more is sent to it.',
}

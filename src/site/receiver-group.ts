import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { deliveriesPath, receiverPath, retryDeliveriesPath, stopDeliveriesPath } from '../config/addresses.ts'
import { time, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { receiverKinds } from '../outbox/kinds.ts'
import { patienceMilliseconds } from '../outbox/schedule.ts'
import type { DeliveryState } from '../submissions/deliveries/delivery-reads.ts'
import { isInTrouble, type ReceiverDeliveries } from '../submissions/deliveries/store.ts'
import { cameBack, deliveryRow, lastFailure } from './delivery-item.ts'
import { receiverName, triedAgain } from './told-list.ts'

/** Accepted ones, and those that were not sent, that are listed of a receiver. */
const maxSettled = 5

interface Group extends ReceiverDeliveries {
  readonly formId: string
  /** The titles of their submissions. */
  readonly titles: ReadonlyMap<string, string>
  /** Whether the user may change the receiver, and end the deliveries to it. */
  readonly canChange: boolean
}

/** A receiver: how it went lately, what it said to those that failed, once, and what waits or failed. */
export const receiverGroup = (group: Group): Html => {
  const { formId, receiver, lately, waiting, failed, titles } = group
  const { id, kind, failedCount, pendingCount } = receiver
  const row = (delivery: Group['lately'][number]): Html =>
    deliveryRow({ formId, delivery, title: titles.get(delivery.submission ?? '') })
  const more = failedCount - failed.length + pendingCount - waiting.length
  return html`<section class="card" aria-labelledby="to-${id}">
<div class="between"><h3 id="to-${id}">${receiverKinds[kind].name ?? receiverName(receiver)}</h3>${lately.length > 0 && latelyStrip(lately.map(({ state }) => state))}</div>
<p class="muted">${summary(group)}</p>
${receiverKinds[kind].isAlarming && html`${whatItSaid(group)}${buttons(group)}`}${
  waiting.length + failed.length > 0 &&
  html`<ul class="things">
${waiting.map(row)}${failed.map(row)}</ul>
`
}${more > 0 && html`<p><a href="${deliveriesPath(formId)}?state=${failedCount > failed.length ? 'failed' : 'pending'}">${withCommas(more)} more</a></p>\n`}${settled(group, row)}</section>
`
}

/** `Nothing accepted since …. 26 accepted, 2 failed, 2 wait.` */
const summary = ({ receiver, lately }: Group): Html => {
  const { isEnabled, disabledReason, failingSince, kind, deliveredCount, failedCount, pendingCount, skippedCount } =
    receiver
  const counts = [
    deliveredCount > 0 && `${withCommas(deliveredCount)} accepted`,
    failedCount > 0 && `${withCommas(failedCount)} failed`,
    pendingCount > 0 && `${withCommas(pendingCount)} ${pendingCount === 1 ? 'waits' : 'wait'}`,
    skippedCount > 0 && `${withCommas(skippedCount)} not sent`,
  ].filter((one) => one !== false)
  const accepted = lately.find(({ state }) => state === 'delivered')?.lastAttempts.at(-1)
  return html`${!isEnabled && html`Switched off${disabledReason === null ? '. ' : html` by Formbox. ${disabledReason} `}`}${failingSince !== null && html`Failing since ${time(failingSince)}. `}${counts.length > 0 ? `${counts.join(', ')}.` : 'Nothing was sent yet.'}${accepted && html` The last accepted ${time(accepted.at)}.`}${
    isEnabled &&
    failingSince !== null &&
    receiverKinds[kind].endsByItself &&
    html` It is switched off by itself if that goes on until ${time(failingSince + patienceMilliseconds)}.`
  }`
}

/** The words of the receiver to the newest one that failed. */
const whatItSaid = ({ formId, receiver, lately, waiting, failed, canChange }: Group): Html | false => {
  const said = isInTrouble(receiver) && [...lately, ...failed, ...waiting].map(lastFailure).find(Boolean)
  return (
    said !== false &&
    said !== undefined &&
    html`<p class="notice failed"><span>${cameBack(said)}${said.answer !== '' && html`: <q>${oneLine(visible(said.answer)).slice(0, 200)}</q>`}.${canChange && html` <a href="${receiverPath(formId, receiver.id)}">Change where it goes</a>`}</span></p>
`
  )
}

const buttons = ({ formId, receiver, canChange }: Group): Html | false => {
  const to = html`<span class="visually-hidden">: ${receiverName(receiver)}</span>`
  const count = triedAgain(receiver)
  return (
    isInTrouble(receiver) &&
    receiver.isEnabled &&
    html`<div class="actions">${count > 0 && html`<button formaction="${retryDeliveriesPath(formId)}" name="receiver" value="${receiver.id}">Try all ${withCommas(count)}${to}</button>`}${canChange && html`<button formaction="${stopDeliveriesPath(formId)}" name="receiver" value="${receiver.id}">Stop sending there${to}</button>`}</div>
`
  )
}

/** The newest of those that need nothing, folded. */
const settled = (
  { formId, receiver: { deliveredCount, skippedCount }, lately }: Group,
  row: (delivery: Group['lately'][number]) => Html,
): Html | false => {
  const shown = lately.filter(({ state }) => state === 'delivered' || state === 'skipped').slice(0, maxSettled)
  const counts = [
    deliveredCount > 0 && `${withCommas(deliveredCount)} accepted`,
    skippedCount > 0 && `${withCommas(skippedCount)} not sent`,
  ].filter((one) => one !== false)
  return (
    counts.length > 0 &&
    html`<details class="fold"><summary>${counts.join(', ')}</summary><ul class="things">
${shown.map(row)}</ul>${deliveredCount + skippedCount > shown.length && html`<p><a href="${deliveriesPath(formId)}?state=${deliveredCount > 0 ? 'delivered' : 'skipped'}">Those before</a></p>`}</details>
`
  )
}

const marks: Readonly<Record<DeliveryState, (x: number) => Html>> = {
  delivered: (x) => html`<rect x="${x}" y="2" width="5" height="14" rx="1"/>`,
  failed: (x) => html`<rect class="is-failed" x="${x}" y="8" width="5" height="8" rx="1"/>`,
  pending: (x) => html`<rect class="is-waiting" x="${x + 0.75}" y="2.75" width="3.5" height="12.5" rx="1"/>`,
  skipped: (x) => html`<rect class="zero" x="${x}" y="14" width="5" height="2"/>`,
}

const stateWords = { delivered: 'accepted', failed: 'failed', pending: 'waiting', skipped: 'not sent' } as const

/** The last deliveries to a receiver, a mark each. @param states newest first; those on the page are oldest first */
const latelyStrip = (states: readonly DeliveryState[]): Html => {
  const width = Math.max(5, states.length * 8 - 3)
  const counts = Object.entries(stateWords).flatMap(([state, words]) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [`${count === states.length ? 'all' : count} ${words}`]
  })
  return html`<svg class="lately" viewBox="0 0 ${width} 18" width="${width}" height="18" role="img" aria-label="The last ${states.length}: ${counts.join(', ')}">${[...states].reverse().map((state, at) => marks[state](at * 8))}</svg>`
}

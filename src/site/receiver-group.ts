import { retryDeliveriesPath, stopDeliveriesPath } from '../config/addresses.ts'
import { time, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { deliveryKinds } from '../outbox/kinds.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import { answerOf, cameBack, deliveryLine, lastFailure, receiverOf } from './delivery-item.ts'

interface Group {
  readonly formId: string
  /** At least one. */
  readonly deliveries: readonly Delivery[]
  /** The titles of their submissions. */
  readonly titles: ReadonlyMap<string, string>
  /** Whether the user may end the deliveries to a receiver. */
  readonly canStop: boolean
  /** Hidden inputs that bring a button back to this page. */
  readonly back: Html
}

/** The deliveries to one receiver, with what it said to those that failed: once, if it said the same. */
export const receiverGroup = ({ formId, deliveries, titles, canStop, back }: Group): Html => {
  const first = deliveries[0] as Delivery
  const { receiverId } = first
  const failures = deliveries.filter((one) => one.state !== 'delivered' && lastFailure(one) !== undefined)
  const isReply = deliveryKinds[first.kind].to === 'reply'
  // Each visitor has another mail server.
  const said = isReply ? undefined : failures[0] && lastFailure(failures[0])
  const titleIn = ({ submission }: Delivery) => (submission === null ? undefined : titles.get(submission))
  return html`<section class="card group" aria-labelledby="to-${receiverId}">
<h2 id="to-${receiverId}">${isReply ? 'Automatic replies' : nameOf(first)}</h2>
${!isReply && isInTrouble(first) && trouble(first)}${said && html`<p class="danger-text">${cameBack(said)}</p>${answerOf(said.answer)}`}
${!isReply && isInTrouble(first) && first.isReceiverEnabled && buttons(formId, first, canStop, back)}<ol class="log">
${deliveries.map((delivery) => deliveryLine({ formId, delivery, title: titleIn(delivery), said, back }))}</ol>
</section>
`
}

const nameOf = (delivery: Delivery): Html => receiverOf({ ...delivery, kind: deliveryKinds[delivery.kind].to })

const isInTrouble = ({ receiverFailed, failingSince }: Delivery): boolean => receiverFailed > 0 || failingSince !== null

/** How many deliveries to a receiver have not arrived, and since when none has. */
const trouble = ({ receiverFailed, receiverPending, failingSince }: Delivery): Html => {
  const waiting = receiverPending > 0 && `${receiverFailed > 0 ? ', ' : ''}${withCommas(receiverPending)} waiting`
  return html`<p>${receiverFailed > 0 && `${withCommas(receiverFailed)} failed`}${waiting}.${failingSince !== null && html` Nothing has been delivered since ${time(failingSince)}.`}</p>
`
}

const buttons = (formId: string, delivery: Delivery, canStop: boolean, back: Html): Html => {
  const to = html`<span class="visually-hidden">: ${nameOf(delivery)}</span>`
  return html`<form class="actions" method="post" action="${retryDeliveriesPath(formId)}">
<input type="hidden" name="receiver" value="${delivery.receiverId}">
${back}<button>Try all again${to}</button>
${canStop && html`<button formaction="${stopDeliveriesPath(formId)}">Stop sending there${to}</button>`}
</form>
`
}

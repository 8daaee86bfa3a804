import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { deliveriesPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { DeliveryStore, Trouble } from '../submissions/deliveries/store.ts'
import { cameBack, lastFailure } from './delivery-item.ts'
import { receiverName } from './told-list.ts'

/** Says on the page of a form that deliveries have failed, for good or at their last attempt, to whom and why. */
export const undeliveredLine = (deliveries: DeliveryStore, form: FormTo<'deliver'>): Html | false => {
  const { failed, failing } = deliveries.findFailures(form)
  if (failed + failing === 0) return false
  const text =
    failed === 0
      ? 'A delivery failed and will be tried again.'
      : failed === 1
        ? 'One delivery failed.'
        : `${withCommas(failed)} deliveries failed.`
  return html`<div class="notice failed"><p>${text}${deliveries.findTroubles(form).map(saidBy)}</p><a href="${deliveriesPath(form.id)}">See what happened</a></div>
`
}

/** What a receiver said to the last one. */
const saidBy = ({ receiver, last }: Trouble): Html => {
  const said = last && lastFailure(last)
  return html` ${receiverName(receiver)}${said && html`: ${cameBack(said)}${said.answer !== '' && html` <q>${oneLine(visible(said.answer)).slice(0, 200)}</q>`}`}.`
}

import type { DeliveryStore } from '../deliveries/store.ts'
import { count } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { deliveriesPath } from './deliveries-page.ts'

export type Trouble = ReturnType<DeliveryStore['findFailures']>

export const isInTrouble = ({ failed, failing }: Trouble): boolean => failed > 0 || failing > 0

/** Says on a form that somebody was not told, and leads to what happened. */
export const troubleLine = (formId: string, trouble: Trouble): Html | false => {
  if (!isInTrouble(trouble)) return false
  const { failed } = trouble
  const [text, state] =
    failed > 0
      ? ([failed === 1 ? 'One delivery failed.' : `${count(failed)} deliveries failed.`, 'failed'] as const)
      : (['Somebody could not be told of a submission.', 'pending'] as const)
  return html`<p class="notice failed">${text} <a href="${deliveriesPath(formId, state)}">See what happened</a></p>`
}

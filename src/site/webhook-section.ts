import {
  deleteWebhookPath,
  deliveriesPath,
  newWebhookPath,
  rotateWebhookPath,
  switchWebhookPath,
  testWebhookPath,
  webhookPath,
} from '../config/addresses.ts'
import { formats } from '../forms/webhooks/formats.ts'
import type { TestResult, Webhook } from '../forms/webhooks/store.ts'
import { maxWebhooks } from '../forms/webhooks/webhook-writes.ts'
import { copyable } from '../html/copyable.ts'
import { time, withCommas } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { conditionInSentence } from '../outbox/condition.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import { answerOf, cameBack, deliveryItem, retriedText, shownHost, submissionLink } from './delivery-item.ts'
import { foldedSection } from './settings-form.ts'

interface WebhookSection {
  readonly formId: string
  readonly webhooks: readonly Webhook[]
  /** The last deliveries of each webhook, newest first. */
  readonly deliveries: ReadonlyMap<string, readonly Delivery[]>
  /** A webhook that was just created or got a new secret. */
  readonly secret: { readonly id: string; readonly text: string } | undefined
  /** A webhook that was just tested, and the result. */
  readonly tested: { readonly id: string; readonly result: TestResult } | undefined
  /** The name in `doneTexts` of what was just done. */
  readonly done: unknown
}

/** The webhooks of a form, on the page of its settings. */
export const webhookSection = (shown: WebhookSection): Html => {
  const { formId, webhooks, secret, tested, done } = shown
  const fresh = secret && webhooks.find(({ id }) => id === secret.id)
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) && doneTexts[done]
  return foldedSection({
    name: 'webhooks',
    heading: 'Webhooks',
    lead: 'Each submission is sent to another program at once.',
    isOpen: fresh !== undefined || tested !== undefined || Boolean(doneText),
    body: html`${doneText && notice('done', doneText)}${fresh && newSecret(nameOf(fresh), secret.text)}
${
  webhooks.length === 0
    ? html`<p class="muted">No webhook yet. Add one to send each submission to Slack, n8n or your own program.</p>`
    : html`<ul class="hooks">
${webhooks.map((webhook) => item(webhook, shown))}</ul>`
}
${
  webhooks.length < maxWebhooks
    ? html`<a class="button" href="${newWebhookPath(formId)}">Add a webhook</a>`
    : html`<p class="muted">A form has at most ${maxWebhooks} webhooks.</p>`
}`,
  })
}

const doneTexts: Readonly<Record<string, string>> = {
  'webhook-saved': 'Saved.',
  'webhook-on': 'The webhook is switched on.',
  'webhook-off': 'The webhook is switched off.',
  'webhook-deleted': 'The webhook has been deleted.',
  retried: retriedText,
}

/** The name of a webhook: its description, or else its host. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description || shownHost(url)

const newSecret = (
  name: string,
  secret: string,
): Html => html`<section class="card new" id="new-secret" tabindex="-1" aria-labelledby="new-secret-heading" data-secret>
<h4 id="new-secret-heading">Secret of “<bdi>${name}</bdi>”</h4>
<p><strong>Copy it now.</strong> It is shown only this once.</p>
${copyable('secret', secret, 'Copy secret')}
</section>`

const item = (webhook: Webhook, { formId, deliveries, tested }: WebhookSection): Html => {
  const { id, url, format, only, headers, isEnabled, disabledReason, failingSince, deliveryCount } = webhook
  const name = nameOf(webhook)
  const headerNames = Object.keys(headers)
  const of = (what: string): Html => html`<span class="visually-hidden"> ${what} ${name}</span>`
  return html`<li>
<h4><bdi>${name}</bdi> <span class="chip">${isEnabled ? 'On' : 'Off'}</span></h4>
<p class="small"><code>${url}</code></p>
<p class="small muted">${formats[format].name}</p>
${only && html`<p class="small"><bdi>${conditionInSentence(only)}</bdi></p>`}
${headerNames.length > 0 && html`<p class="small">With the headers <bdi>${headerNames.join(', ')}</bdi></p>`}
${!isEnabled && disabledReason !== null && html`<p class="small danger-text">Formbox switched it off. ${disabledReason}</p>`}
${isEnabled && failingSince !== null && html`<p class="small danger-text">Nothing has been delivered since ${time(failingSince)}.</p>`}
${lastDeliveries(deliveries.get(id) ?? [], deliveryCount, formId)}
${tested?.id === id && testResult(tested.result)}
<form class="actions" method="post">
<button formaction="${testWebhookPath(formId, id)}">Send a test${of('to')}</button>
<a class="button" href="${webhookPath(formId, id)}">Edit${of('')}</a>
<a class="button" href="${rotateWebhookPath(formId, id)}">New secret${of('for')}</a>
<button formaction="${switchWebhookPath(formId, id)}" name="enabled" value="${isEnabled ? 'off' : 'on'}">Switch ${isEnabled ? 'off' : 'on'}${of('')}</button>
<a class="button danger" href="${deleteWebhookPath(formId, id)}">Delete${of('')}</a>
</form>
</li>
`
}

const lastDeliveries = (deliveries: readonly Delivery[], deliveryCount: number, formId: string): Html => {
  if (deliveryCount === 0) return html`<p class="small muted">Nothing sent yet</p>`
  const all = html`<a href="${deliveriesPath(formId)}">All deliveries of this form</a>`
  if (deliveries.length === 0) return html`<p class="small muted">Nothing sent lately. ${all}</p>`
  return html`<details class="fold">
<summary>Last deliveries</summary>
<ol class="log">
${deliveries.map((delivery) =>
  deliveryItem({ formId, delivery, heading: submissionLink(formId, delivery), back: backToSettings }),
)}</ol>
<p>${all}</p>
</details>`
}

const backToSettings = html`<input type="hidden" name="back" value="settings">
`

/** The result of a test. A redirect to `#test-result` puts the focus on it. */
const testResult = ({ status, error, answer, milliseconds }: TestResult): Html =>
  html`<div class="notice ${error === null ? 'done' : 'failed'}" id="test-result" tabindex="-1" role="${error === null ? 'status' : 'alert'}">
<p>${error === null ? 'The test arrived' : 'The test failed'}: ${cameBack({ status, error })} (${withCommas(milliseconds)} ms).</p>
${answerOf(answer)}
</div>`

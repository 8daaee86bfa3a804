import type { Delivery } from '../deliveries/store.ts'
import { copyable } from '../html/copyable.ts'
import { type Html, html } from '../html/html.ts'
import { time } from '../html/time.ts'
import { creationTime } from '../id.ts'
import type { TestResult, Webhook } from '../webhooks/store.ts'
import { maxWebhooks, type WebhookFormat } from '../webhooks/webhook-writes.ts'
import { answerOf, cameBack, deliveryItem, hostOf } from './delivery-item.ts'
import { formPath } from './form-frame.ts'

export interface WebhookSection {
  readonly formId: string
  readonly webhooks: readonly Webhook[]
  /** Of each webhook, the newest ones first. */
  readonly deliveries: ReadonlyMap<string, readonly Delivery[]>
  /** A webhook that was just created or got a new secret. */
  readonly secret: { readonly id: string; readonly text: string } | undefined
  /** A webhook that a test was just sent to, and what came back. */
  readonly tested: { readonly id: string; readonly result: TestResult } | undefined
  /** Whether the form was just copied from another one. */
  readonly isCopy: boolean
}

/** The webhooks of a form, on the page of its settings. */
export const webhookSection = (shown: WebhookSection): Html => {
  const { formId, webhooks, secret, isCopy } = shown
  const fresh = secret && webhooks.find(({ id }) => id === secret.id)
  return html`<section class="section" id="webhooks" aria-labelledby="webhooks-heading">
<div><h2 id="webhooks-heading">Webhooks</h2><p>Tell another program of each submission, as Standard Webhooks describes.</p></div>
<div class="ask">
${fresh && newSecret(nameOf(fresh), secret.text)}
${
  isCopy &&
  webhooks.length > 0 &&
  html`<p class="notice">The webhooks were copied too. Their secrets are new, and nobody has seen them: if a receiver verifies what it gets, create a new secret for its webhook.</p>`
}
${
  webhooks.length === 0
    ? html`<p class="muted">No webhook yet. With one, Slack, n8n or a program of yours learns of a submission at once.</p>`
    : html`<ul class="hooks">
${webhooks.map((webhook) => item(webhook, shown))}</ul>`
}
${
  webhooks.length < maxWebhooks
    ? html`<a class="button" href="${formPath(formId)}/webhooks/new">Add a webhook</a>`
    : html`<p class="muted">A form has at most ${maxWebhooks} webhooks.</p>`
}
</div>
</section>`
}

/** What a webhook is called: its description, or else its host. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string => description || hostOf(url)

export const formatNames: Readonly<Record<WebhookFormat, string>> = {
  standard: 'Standard Webhooks',
  slack: 'Slack, Mattermost, Rocket.Chat or Discord',
  ntfy: 'ntfy',
}

const newSecret = (
  name: string,
  secret: string,
): Html => html`<section class="card new" id="new-secret" tabindex="-1" aria-labelledby="new-secret-heading" data-secret>
<h3 id="new-secret-heading">Secret of “<bdi>${name}</bdi>”</h3>
<p><strong>Copy it now.</strong> It is shown only this once.</p>
${copyable('secret', secret, 'Copy secret')}
</section>`

const item = (webhook: Webhook, { formId, deliveries, tested }: WebhookSection): Html => {
  const { id, url, format, isEnabled, disabledReason, failingSince, toldCount } = webhook
  const name = nameOf(webhook)
  const path = `${formPath(formId)}/webhooks/${id}`
  const of = (what: string): Html => html`<span class="visually-hidden"> ${what} ${name}</span>`
  return html`<li>
<h3><bdi>${name}</bdi> <span class="state ${isEnabled ? 'active' : 'expired'}">${isEnabled ? 'On' : 'Off'}</span></h3>
<p class="small"><code>${url}</code></p>
<p class="small muted">${formatNames[format]}</p>
${!isEnabled && disabledReason !== null && html`<p class="small danger-text">Formbox switched it off. ${disabledReason}</p>`}
${isEnabled && failingSince !== null && html`<p class="small danger-text">Nothing has been delivered since ${time(failingSince)}.</p>`}
${lastDeliveries(deliveries.get(id) ?? [], toldCount, formId)}
${tested?.id === id && testResult(tested.result)}
<form class="actions" method="post">
<button formaction="${path}/test">Send a test${of('to')}</button>
<a class="button" href="${path}">Edit${of('')}</a>
<a class="button" href="${path}/rotate">New secret${of('for')}</a>
<button formaction="${path}/switch" name="enabled" value="${isEnabled ? 'off' : 'on'}">Switch ${isEnabled ? 'off' : 'on'}${of('')}</button>
<a class="button danger" href="${path}/delete">Delete${of('')}</a>
</form>
</li>
`
}

const lastDeliveries = (deliveries: readonly Delivery[], toldCount: number, formId: string): Html => {
  if (toldCount === 0) return html`<p class="small muted">Nothing sent yet</p>`
  const all = html`<a href="${formPath(formId)}/deliveries">All deliveries of this form</a>`
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

/** A link to what a delivery tells of, named by its time. */
export const submissionLink = (formId: string, { id, submission }: Delivery): Html =>
  html`<a href="${formPath(formId)}/submissions/${submission}">Submission of ${time(creationTime(submission ?? id))}</a>`

/** A redirect to `#test-result` puts the focus on it. */
const testResult = ({ status, error, answer, milliseconds }: TestResult): Html =>
  html`<div class="notice ${error === null ? 'done' : 'failed'}" id="test-result" tabindex="-1" role="${error === null ? 'status' : 'alert'}">
<p>${error === null ? 'The test arrived' : 'The test failed'}: ${cameBack({ status, error })} after ${milliseconds} ms.</p>
${answerOf(answer)}
</div>`

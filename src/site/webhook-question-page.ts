import type { Form } from '../forms/ownership.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { type Html, html } from '../html/html.ts'
import type { Webhook } from '../webhooks/store.ts'
import { formPath } from './form-frame.ts'
import { nameOf } from './webhook-section.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  readonly webhook: Webhook
}

/** Asks before a webhook is deleted. */
export const deleteWebhookPage = (shown: Shown): Response =>
  questionPage(shown, {
    question: 'Delete this webhook?',
    text: html`It is told of nothing more, and what waits for it fails. This can’t be undone.`,
    action: 'delete',
    button: html`<button class="primary dangerous">Delete webhook</button>`,
    no: 'Keep webhook',
  })

/** Asks before a webhook gets a new secret: a second one too soon would make the first one invalid. */
export const rotateWebhookPage = (shown: Shown): Response =>
  questionPage(shown, {
    question: 'Create a new secret?',
    text: html`For 24 hours, everything is signed with the new secret and with the present one. Give the receiver the new one in this time.`,
    action: 'rotate',
    button: html`<button class="primary">Create new secret</button>`,
    no: 'Keep secret',
  })

interface Question {
  readonly question: string
  readonly text: Html
  readonly action: 'delete' | 'rotate'
  readonly button: Html
  readonly no: string
}

const questionPage = ({ email, form, webhook }: Shown, { question, text, action, button, no }: Question): Response =>
  frame({
    title: `${question} · ${form.title} · Formbox`,
    header: header('/', email),
    body: html`<div class="card">
<h1>${question}</h1>
<p class="subject"><bdi>${nameOf(webhook)}</bdi> <code>${webhook.url}</code></p>
<p>${text}</p>
<form class="actions" method="post" action="${formPath(form.id)}/webhooks/${webhook.id}/${action}">
${button}
<a class="button" href="${formPath(form.id)}/settings#webhooks">${no}</a>
</form>
</div>`,
  })

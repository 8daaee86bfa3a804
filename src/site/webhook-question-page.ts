import type { Form } from '../forms/ownership.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
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
  webhookQuestion(shown, {
    question: 'Delete this webhook?',
    text: 'Nothing more is sent to it, and what waits for it fails. This can’t be undone.',
    action: 'delete',
    yes: html`<button class="primary dangerous">Delete webhook</button>`,
    no: 'Keep webhook',
  })

/** Asks before a webhook gets a new secret: a second one too soon would make the first one invalid. */
export const rotateWebhookPage = (shown: Shown): Response =>
  webhookQuestion(shown, {
    question: 'Create a new secret?',
    text: 'For 24 hours, everything is signed with the new secret and with the present one. Give the receiver the new one in this time.',
    action: 'rotate',
    yes: html`<button class="primary">Create new secret</button>`,
    no: 'Keep secret',
  })

interface Question {
  readonly question: string
  readonly text: string
  readonly action: 'delete' | 'rotate'
  readonly yes: Html
  readonly no: string
}

const webhookQuestion = ({ email, form, webhook }: Shown, { question, text, action, yes, no }: Question): Response =>
  questionPage({
    email,
    title: `${question} · ${form.title}`,
    heading: question,
    subject: html`<p class="subject"><bdi>${nameOf(webhook)}</bdi> <code>${webhook.url}</code></p>`,
    text,
    action: `${formPath(form.id)}/webhooks/${webhook.id}/${action}`,
    answers: html`${yes}
<a class="button" href="${formPath(form.id)}/settings#webhooks">${no}</a>`,
  })

import type { Form } from '../forms/ownership.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { webhookFormats } from '../webhooks/webhook-fields.ts'
import type { WebhookFormat } from '../webhooks/webhook-writes.ts'
import { formFrame, formPath } from './form-frame.ts'
import { formatNames } from './webhook-section.ts'

export interface TypedWebhook {
  readonly url: string
  readonly format: string
  readonly description: string
}

interface Shown {
  readonly status?: number
  readonly email: string
  readonly form: Form
  /** The webhook that is changed; undefined for a new one. */
  readonly id?: string | undefined
  readonly typed: TypedWebhook
  readonly errors?: FieldErrors
  /** Whether it was sent after the session had ended. */
  readonly isUnsaved?: true
}

/** Asks for a new webhook, or for what to change of one. */
export const webhookFormPage = ({ status = 200, email, form, id, typed, errors = {}, isUnsaved }: Shown): Response =>
  formFrame({
    status,
    form,
    email,
    tab: 'Settings',
    body: html`${isUnsaved && notice('failed', 'Not saved yet.')}<section class="section" aria-labelledby="webhook-heading">
<div><h2 id="webhook-heading">${id === undefined ? 'New webhook' : 'Webhook'}</h2><p>A program that is told of each submission.</p></div>
<form class="ask" method="post" action="${formPath(form.id)}/webhooks/${id ?? 'new'}" data-edits="${isUnsaved || status !== 200 ? 'unsaved' : 'none'}">
${field({
  name: 'url',
  label: 'URL',
  type: 'url',
  value: typed.url,
  error: errors.url,
  hint: 'Each submission is sent there with POST. A private address must be one that this server allows.',
  autocomplete: 'off',
})}
<fieldset${errors.format && html` aria-describedby="format-error"`}>
<legend>Format</legend>
${webhookFormats.map((format) => choice(format, typed.format === format))}
${errors.format && html`<p class="error" id="format-error">${errors.format}</p>`}
</fieldset>
${field({
  name: 'description',
  label: 'Description',
  type: 'text',
  value: typed.description,
  error: errors.description,
  hint: 'What it is called here, such as “Booking calendar”.',
  autocomplete: 'off',
  isOptional: true,
})}
<div class="actions">
<button class="primary">${id === undefined ? 'Add webhook' : 'Save'}</button>
<a class="button" href="${formPath(form.id)}/settings#webhooks">Cancel</a>
</div>
</form>
</section>`,
  })

const uses: Readonly<Record<WebhookFormat, string>> = {
  standard: 'Signed JSON, for n8n, Zapier, Make and programs of your own.',
  slack: 'A message with the fields. A URL of Discord always gets this format, and /slack at its end.',
  ntfy: 'A notification on your telephone, for the URL of a topic.',
}

const choice = (format: WebhookFormat, isChosen: boolean): Html => html`<label class="choice">
<input type="radio" name="format" value="${format}"${isChosen && html` checked`}>
<span><strong>${formatNames[format]}</strong> <span class="hint">${uses[format]}</span></span>
</label>
`

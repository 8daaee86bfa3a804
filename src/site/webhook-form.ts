import { formats } from '../forms/webhooks/formats.ts'
import type { Webhook } from '../forms/webhooks/store.ts'
import { hidden, maxHeaders } from '../forms/webhooks/webhook-headers.ts'
import { webhookFormat } from '../forms/webhooks/webhook-rules.ts'
import { notice } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { type InputErrors, labelledInput, radio } from '../html/labelled-input.ts'
import { type FormPage, formFrame, formPath, settingsPath } from './form-frame.ts'

/** The texts typed into the form. */
export interface TypedWebhook {
  readonly url: string
  readonly format: string
  readonly description: string
  readonly onlyField: string
  readonly onlyEquals: string
  /** One a line. */
  readonly headers: string
}

export const nothingTyped: TypedWebhook = {
  url: '',
  format: '',
  description: '',
  onlyField: '',
  onlyEquals: '',
  headers: '',
}

export const typedIn = (sent: URLSearchParams): TypedWebhook => ({
  url: sent.get('url') ?? '',
  format: sent.get('format') ?? '',
  description: sent.get('description') ?? '',
  onlyField: sent.get('onlyField') ?? '',
  onlyEquals: sent.get('onlyEquals') ?? '',
  headers: (sent.get('headers') ?? '').replaceAll('\r\n', '\n'),
})

/** The texts that would be typed for this webhook. */
export const typedOf = ({ url, format, description, only, headers }: Webhook): TypedWebhook => ({
  url,
  format,
  description: description ?? '',
  onlyField: only?.field ?? '',
  onlyEquals: only?.equals ?? '',
  headers: Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
})

interface Shown extends Omit<FormPage, 'role'> {
  readonly status?: number
  /** The webhook that is changed; undefined for a new one. */
  readonly id?: string | undefined
  readonly typed: TypedWebhook
  readonly errors?: InputErrors
  /** Whether it was sent after the session had ended. */
  readonly isUnsaved?: true
}

/** The form for a new webhook, or for one that is changed. */
export const webhookFormPage = ({
  status = 200,
  email,
  form,
  now,
  id,
  typed,
  errors = {},
  isUnsaved,
}: Shown): Response =>
  formFrame({
    status,
    form,
    email,
    tab: 'Settings',
    now,
    body: html`${isUnsaved && notice('failed', 'Not saved yet.')}<section class="parts" aria-labelledby="webhook-heading">
<div><h2 id="webhook-heading">${id === undefined ? 'New webhook' : 'Webhook'}</h2><p>A program that gets each submission.</p></div>
${errors.formId && notice('failed', errors.formId)}<form class="ask" method="post" action="${formPath(form.id)}/webhooks/${id ?? 'new'}" data-edits="${isUnsaved || status !== 200 ? 'unsaved' : 'none'}">
${labelledInput({
  name: 'url',
  label: 'URL',
  type: 'url',
  value: typed.url,
  error: errors.url,
  hint: 'Each submission is sent there with POST. A private address must be one that this server allows.',
  autocomplete: 'off',
  marks: 'required',
})}
<fieldset${errors.format && html` aria-describedby="format-error"`}>
<legend>Format</legend>
${webhookFormat.words.map(
  (
    value,
  ) => html`${radio({ name: 'format', value, label: formats[value].name, hint: formats[value].use, chosen: typed.format })}
`,
)}
${errors.format && html`<p class="error" id="format-error">${errors.format}</p>`}
</fieldset>
${labelledInput({
  name: 'description',
  label: 'Description',
  type: 'text',
  value: typed.description,
  error: errors.description,
  hint: 'What it is called here, such as “Booking calendar”.',
  autocomplete: 'off',
  isOptional: true,
  marks: 'required',
})}
<fieldset${errors.only && html` aria-describedby="only-error"`}>
<legend>Only some submissions</legend>
${labelledInput({
  name: 'onlyField',
  label: 'If the field',
  type: 'text',
  value: typed.onlyField,
  hint: 'Its name in your HTML, such as topic. Leave empty to send all submissions.',
  autocomplete: 'off',
  isOptional: true,
  marks: 'required',
})}
${labelledInput({
  name: 'onlyEquals',
  label: 'Has the value',
  type: 'text',
  value: typed.onlyEquals,
  hint: 'Case and accents are ignored. In a list, one matching value is enough.',
  autocomplete: 'off',
  isOptional: true,
  marks: 'required',
})}
${errors.only && html`<p class="error" id="only-error">${errors.only}</p>`}
</fieldset>
${labelledInput({
  name: 'headers',
  label: 'Headers',
  type: 'lines',
  value: typed.headers,
  error: errors.headers,
  hint: `Up to ${maxHeaders}, one per line, such as “Authorization: Bearer” and a token. Once saved, values are shown as ${hidden}. A line with ${hidden} keeps its value.`,
  autocomplete: 'off',
  isOptional: true,
  marks: 'required',
})}
<div class="actions">
<button class="primary">${id === undefined ? 'Add webhook' : 'Save'}</button>
<a class="button" href="${settingsPath(form.id)}#webhooks">Cancel</a>
</div>
</form>
</section>`,
  })

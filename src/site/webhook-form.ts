import { newWebhookPath, settingsPath, webhookPath } from '../config/addresses.ts'
import { type Kind, parseTyped } from '../forms/settings/kind.ts'
import { formats } from '../forms/webhooks/formats.ts'
import type { Webhook } from '../forms/webhooks/store.ts'
import { hidden, maxHeaders } from '../forms/webhooks/webhook-headers.ts'
import { members, presets, type WebhookMembers } from '../forms/webhooks/webhook-members.ts'
import { memberNames } from '../forms/webhooks/webhook-writes.ts'
import { notice } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { type InputErrors, labelledInput, radio } from '../html/labelled-input.ts'
import { type FormPage, formFrame } from './form-frame.ts'

/** Members that are typed as one text. */
const typedMembers = memberNames.filter((name) => members[name].kind.fromText !== undefined)
type TypedMembers = Readonly<Record<string, string>>

/** The texts typed into the form. */
export interface TypedWebhook {
  readonly url: string
  readonly members: TypedMembers
  readonly onlyField: string
  readonly onlyEquals: string
  /** One a line. */
  readonly headers: string
}

const eachTyped = (toText: (name: keyof WebhookMembers) => string): TypedMembers =>
  Object.fromEntries(typedMembers.map((name) => [name, toText(name)]))

const asTyped = (given: WebhookMembers): TypedMembers =>
  eachTyped((name) => members[name].kind.toText?.(given[name] as never) ?? '')

export const nothingTyped: TypedWebhook = {
  url: '',
  members: asTyped(presets),
  onlyField: '',
  onlyEquals: '',
  headers: '',
}

export const typedIn = (sent: URLSearchParams): TypedWebhook => ({
  url: sent.get('url') ?? '',
  members: eachTyped((name) => sent.get(name) ?? ''),
  onlyField: sent.get('onlyField') ?? '',
  onlyEquals: sent.get('onlyEquals') ?? '',
  headers: (sent.get('headers') ?? '').replaceAll('\r\n', '\n'),
})

/** The texts that would be typed for this webhook. */
export const typedOf = ({ url, headers, ...rest }: Webhook): TypedWebhook => ({
  url,
  members: asTyped(rest),
  onlyField: rest.only?.field ?? '',
  onlyEquals: rest.only?.equals ?? '',
  headers: Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
})

/** What is typed for each member, to be parsed. */
export const memberInputs = (typed: TypedMembers) =>
  Object.fromEntries(
    typedMembers.map((name) => {
      const kind = members[name].kind as Kind<unknown>
      return [name, () => parseTyped(name, kind.fromText(typed[name] ?? ''))]
    }),
  ) as { readonly [Name in Exclude<keyof WebhookMembers, 'only'>]: () => WebhookMembers[Name] }

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
  navigation,
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
    navigation,
    tab: 'Settings',
    now,
    body: html`${isUnsaved && notice('failed', 'Not saved yet.')}<section class="parts" aria-labelledby="webhook-heading">
<div><h2 id="webhook-heading">${id === undefined ? 'New webhook' : 'Webhook'}</h2><p>A program that gets each submission.</p></div>
${errors.formId && notice('failed', errors.formId)}<form class="ask" method="post" action="${id === undefined ? newWebhookPath(form.id) : webhookPath(form.id, id)}" data-edits="${isUnsaved || status !== 200 ? 'unsaved' : 'none'}">
${labelledInput({
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
${Object.entries(formats).map(
  ([
    value,
    { name, use },
  ]) => html`${radio({ name: 'format', value, label: name, hint: use, chosen: typed.members.format ?? '' })}
`,
)}
${errors.format && html`<p class="error" id="format-error">${errors.format}</p>`}
</fieldset>
${typedMembers.flatMap((name) => {
  const { input } = members[name]
  if (!input) return []
  const [value, error] = [typed.members[name] ?? '', errors[name]]
  return html`${labelledInput({ name, type: 'text', value, error, autocomplete: 'off', ...input })}
`
})}<fieldset${errors.only && html` aria-describedby="only-error"`}>
<legend>Only some submissions</legend>
${labelledInput({
  name: 'onlyField',
  label: 'If the field',
  type: 'text',
  value: typed.onlyField,
  hint: 'Its name in your HTML, such as topic. Leave empty to send all submissions.',
  autocomplete: 'off',
  isOptional: true,
})}
${labelledInput({
  name: 'onlyEquals',
  label: 'Has the value',
  type: 'text',
  value: typed.onlyEquals,
  hint: 'Case and accents are ignored. In a list, one matching value is enough.',
  autocomplete: 'off',
  isOptional: true,
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
})}
<div class="actions">
<button class="primary">${id === undefined ? 'Add webhook' : 'Save'}</button>
<a class="button" href="${settingsPath(form.id)}#webhooks">Cancel</a>
</div>
</form>
</section>`,
  })

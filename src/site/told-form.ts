import { newReceiverPath, receiverPath, settingsPath, visitorSettingsPath } from '../config/addresses.ts'
import type { Webhook } from '../forms/webhooks/store.ts'
import { hidden, maxHeaders } from '../forms/webhooks/webhook-headers.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { digestPeriodNames, digestPeriods } from '../outbox/digest-times.ts'
import { noMail } from './no-mail.ts'
import { kindOf, type ToldKind, type ToldKindName, targetNames, tiles, toldKinds } from './told-kinds.ts'

// Of email, `address` is one or several with commas, and `digest` is `day`, `week`, or empty.
const names = [...targetNames, 'description', 'onlyField', 'onlyEquals', 'address', 'digest'] as const

/** The texts typed into the form. */
export type TypedReceiver = Readonly<Record<(typeof names)[number], string>>

const typedBy = (textOf: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [name, textOf(name)])) as TypedReceiver

export const nothingTyped = typedBy(() => '')

export const typedIn = (sent: URLSearchParams): TypedReceiver =>
  typedBy((name) => (sent.get(name) ?? '').replaceAll('\r\n', '\n'))

/** The texts that would be typed for this webhook. */
export const typedOf = ({ url, format, description, only, headers }: Webhook): TypedReceiver => {
  const { split }: ToldKind = toldKinds[kindOf(format, url)]
  const typed = {
    ...nothingTyped,
    url,
    description: description ?? '',
    onlyField: only?.field ?? '',
    onlyEquals: only?.equals ?? '',
    headers: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  }
  return { ...typed, ...split?.(typed) }
}

export interface ReceiverForm {
  readonly formId: string
  /** The receiver that is changed; undefined for a new one. */
  readonly id?: string | undefined
  readonly kind: ToldKindName
  readonly typed: TypedReceiver
  readonly errors?: InputErrors
  /** The kind of the service at the URL, whose form would take it. */
  readonly better?: ToldKindName | undefined
  readonly isUnsaved?: boolean
  readonly canMail: boolean
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  /** What was just done, above the form. */
  readonly above?: Html | false
  /** Below the form. */
  readonly below?: Html | false
}

/** The form for a new receiver, or for one that is changed. */
export const receiverForm = (shown: ReceiverForm): Html => {
  const { formId, id, kind, typed, errors = {}, isUnsaved, canMail } = shown
  const { name, how }: ToldKind = toldKinds[kind]
  const action = id === undefined ? newReceiverPath(formId) : receiverPath(formId, id)
  return html`${shown.above}${isUnsaved && notice('failed', 'Not saved yet.')}
${
  id === undefined &&
  html`<section aria-label="Where messages go">
${tiles(formId, canMail, kind)}
</section>`
}
<section class="card inputs" aria-labelledby="kind">
<h3 id="kind">${name}</h3>
${errors.formId && notice('failed', errors.formId)}${
  kind === 'email' && !canMail
    ? noMail('Until then, choose another way.')
    : html`${
        how.length > 0 &&
        html`<ol class="how">
${how.map((step) => html`<li>${step}</li>\n`)}</ol>
`
      }<form class="inputs" method="post" action="${action}" data-edits="${isUnsaved || Object.keys(errors).length > 0 ? 'unsaved' : 'none'}">
<input type="hidden" name="kind" value="${kind}">
${kind === 'email' ? emailInputs(typed, errors) : targetInputs(shown)}
${moreInputs(shown)}
<div class="actions"><button class="primary" name="do" value="test">${id === undefined ? 'Add' : 'Save'} and send a test</button><a class="button quiet" href="${settingsPath(formId)}">Cancel</a></div>
</form>`
}
</section>
${shown.below}`
}

const targetInputs = ({ formId, kind, typed, errors = {}, better }: ReceiverForm): Html => {
  const { inputs }: ToldKind = toldKinds[kind]
  const link =
    better && html`<a href="${newReceiverPath(formId)}?kind=${better}">Add it to ${toldKinds[better].name}</a>. `
  return html`${Object.entries(inputs).map(([name, [label, hint]], position) =>
    labelledInput({
      name,
      label,
      type: name === 'url' ? 'url' : 'text',
      value: typed[name as keyof TypedReceiver],
      ...(position === 0 && { error: errors.url ?? errors.format }),
      hint: html`${position === 0 && link}${hint}`,
    }),
  )}`
}

const emailInputs = ({ address, digest: often }: TypedReceiver, errors: InputErrors): Html => html`${labelledInput({
  name: 'address',
  label: 'Address',
  type: 'text',
  value: address,
  error: errors.notify,
  hint: 'One, or several with commas. It is told that it was added, and has a link to stop. Replies go to the visitor.',
})}
<fieldset><legend>How often</legend>
${[['', 'Each message'], ...digestPeriodNames.map((name) => [name, digestPeriods[name].choice] as const)].map(
  ([value, words]) =>
    html`<label class="choice"><input type="radio" name="digest" value="${value}"${often === value && html` checked`}><span>${words}</span></label>
`,
)}</fieldset>`

/** What few need. */
const moreInputs = ({ formId, kind, typed, errors = {}, fieldNames }: ReceiverForm): Html => {
  const { hasHeaders }: ToldKind = toldKinds[kind]
  const { description, onlyField, onlyEquals, headers } = typed
  const isOpen = [description, onlyField, onlyEquals, headers].some(Boolean) || errors.only || errors.headers
  return html`<details class="fold"${isOpen && html` open`}><summary>More: ${kind !== 'email' && 'its name here, '}only some messages${kind === 'email' && ', files, time zone'}${hasHeaders && ', headers'}</summary>
<div class="within">
${
  kind !== 'email' &&
  labelledInput({
    name: 'description',
    label: 'Name',
    type: 'text',
    value: description,
    error: errors.description,
    hint: 'Such as #orders. Only you and those who manage the form see it.',
    isOptional: true,
  })
}
<fieldset${errors.only && html` aria-describedby="only-error"`}><legend>Only some messages</legend>
<div class="pair">
${labelledInput({ name: 'onlyField', label: 'If the field', type: 'text', value: onlyField, suggestions: fieldNames.slice(0, 50), isOptional: true })}
${labelledInput({ name: 'onlyEquals', label: 'Has the value', type: 'text', value: onlyEquals, isOptional: true })}
</div>
${errors.only && html`<p class="error" id="only-error">${errors.only}</p>`}
</fieldset>
${
  hasHeaders &&
  labelledInput({
    name: 'headers',
    label: 'Headers',
    type: 'lines',
    value: headers,
    error: errors.headers,
    hint: `Up to ${maxHeaders}, one per line, such as “Authorization: Bearer” and a token. Once saved, values are shown as ${hidden}. A line with ${hidden} keeps its value.`,
    isOptional: true,
  })
}
${kind === 'email' && html`<p class="hint">Files and the sender, for all emails: <a href="${settingsPath(formId)}#emails">All emails of this form</a>. Their time zone: under <a href="${visitorSettingsPath(formId)}#timeZone">Visitors</a>.</p>`}
</div></details>`
}

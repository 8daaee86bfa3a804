import { formTabPath } from '../config/addresses.ts'
import { isAlwaysThere, labelOf } from '../forms/fields/form-field.ts'
import type { Form } from '../forms/form.ts'
import { confirm, confirmAsText } from '../forms/settings/confirm.ts'
import { type ConfirmSettings, parseSettings } from '../forms/settings/settings.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput, type Option } from '../html/labelled-input.ts'
import type { OwnInputs, ShownForm } from './settings-section.ts'

/** A question of a page has an input `confirm`. */
const names = ['confirm-field', 'confirm-subject', 'confirm-text', 'confirm-days'] as const

type Typed = Omit<ConfirmSettings, 'days'> & { readonly days: string }

/** A beginning for who has not written any. */
const usualSubject = 'Please confirm your email address'
const usualText = 'You have filled in “{title}”. Please confirm that this address is yours:\n\n{link}'

export const confirmInputs: OwnInputs = {
  names,

  /** The texts are lost with the field: without it, no one gets them. */
  read(sent) {
    const [field = '', subject = '', text = '', days = ''] = names.map((one) => sent.get(one) ?? '')
    return field === '' ? confirm.toText(null) : confirmAsText({ field, subject, text, days })
  },

  show(typed, { error, hint }, shown) {
    const { field, subject, text, days }: Typed = JSON.parse(typed)
    const isNew = field === ''
    const shared = { isOptional: true } as const
    return html`${labelledInput({ id: 'confirm', name: 'confirm-field', label: 'Field with the address', type: 'select', options: addressFields(shown, field), value: field, error, hint, ...shared })}
${labelledInput({ name: 'confirm-subject', label: 'Subject of the email', type: 'text', value: isNew ? usualSubject : subject, ...shared })}
${labelledInput({
  name: 'confirm-text',
  label: 'Text of the email',
  type: 'lines',
  value: isNew ? usualText : text,
  hint: 'Plain text. Say what they confirm. {link} stands for the link, which comes last without it; the other placeholders are those of the automatic reply.',
  ...shared,
})}
${labelledInput({ name: 'confirm-days', label: 'The link works for', type: 'number', unit: 'days', value: days, hint: 'From 1 to 30. What was not confirmed by then is deleted.', ...shared })}
`
  },
}

/** The fields of the form that have an address in every submission. */
const addressFields = ({ form }: ShownForm, chosen: string): readonly Option[] => {
  const fields = requiredAddresses(form)
  const gone = chosen === '' || fields.some(({ name }) => name === chosen) ? [] : [{ value: chosen, label: chosen }]
  return [
    { value: '', label: 'Nobody has to confirm' },
    ...fields.map((field) => ({ value: field.name, label: labelOf(field) })),
    ...gone,
  ]
}

const requiredAddresses = ({ settings }: Form) =>
  parseSettings(settings).fields.filter((field) => field.type === 'email' && isAlwaysThere(field))

/** Whether there is nothing to choose yet. */
export const hasNoAddress = ({ form }: ShownForm): boolean =>
  requiredAddresses(form).length === 0 && parseSettings(form.settings).confirm === null

export const addressNeeded = ({ form }: ShownForm): Html =>
  html`<p class="hint">First <a href="${formTabPath(form.id)}">give the form a field</a> for an email address, and make it required.</p>`

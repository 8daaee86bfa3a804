import { confirmAsText } from '../forms/settings/confirm.ts'
import { html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import type { OwnInputs } from './settings-section.ts'

/** A question of a page has an input `confirm`. */
const names = ['confirm-field', 'confirm-subject', 'confirm-text', 'confirm-days'] as const

export const confirmInputs: OwnInputs = {
  names,

  read(sent) {
    const [field = '', subject = '', text = '', days = ''] = names.map((one) => sent.get(one) ?? '')
    return confirmAsText({ field, subject, text, days })
  },

  show(typed, { error, hint }) {
    const { field, subject, text, days }: Parameters<typeof confirmAsText>[0] = JSON.parse(typed)
    const shared = { autocomplete: 'off', isOptional: true } as const
    return html`${labelledInput({ id: 'confirm', name: 'confirm-field', label: 'Field with the address', type: 'text', value: field, error, hint, ...shared })}
${labelledInput({ name: 'confirm-subject', label: 'Subject', type: 'text', value: subject, hint: 'Such as “Please confirm your address”', ...shared })}
${labelledInput({
  name: 'confirm-text',
  label: 'Text',
  type: 'lines',
  value: text,
  hint: 'Plain text. {link} stands for the link, which stands at the end otherwise. The placeholders of the automatic reply work as well.',
  ...shared,
})}
${labelledInput({ name: 'confirm-days', label: 'Wait for', type: 'number', value: days, hint: 'Days, from 1 to 30. Then what was not confirmed is deleted.', ...shared })}
`
  },
}

import { parseSettings } from '../forms/settings/settings.ts'
import { html } from '../html/html.ts'
import type { OwnInputs } from './settings-section.ts'

/** Whether a form is open, by its dates, or closed. With a date, it is open from or to it. */
export const openingInputs: OwnInputs = {
  names: ['open'],

  read: (sent) => (sent.get('open') === '' ? '' : 'on'),

  show(text, _asked, { form }, sent) {
    const { opensAt, closesAt } = parseSettings(form.settings)
    const stored = text === '' ? '' : opensAt !== null || closesAt !== null ? 'dates' : 'on'
    const chosen = sent?.get('open') ?? stored
    const states = [
      ['on', 'Open'],
      ['dates', 'From and to'],
      ['', 'Closed'],
    ]
    return html`<fieldset><legend class="visually-hidden">State</legend>
<div class="segments">${states.map(
      ([value, label]) =>
        html`<label><input type="radio" name="open" value="${value}"${value === chosen && html` checked`}>${label}</label>`,
    )}</div></fieldset>
`
  },
}

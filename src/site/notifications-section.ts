import { parseNotify } from '../forms/form-fields.ts'
import { maxAddresses, parseSettings } from '../forms/settings.ts'
import { field } from '../html/field.ts'
import { html } from '../html/html.ts'
import { parseInputs } from './parse-inputs.ts'
import { type SettingsSection, sectionForm } from './settings-section.ts'

const labels = { notify: 'Send to' }

/** Who is told of submissions by e-mail. */
export const notificationsSection: SettingsSection = {
  name: 'notifications',
  heading: 'Notifications',
  lead: 'An e-mail for each submission; more than 60 an hour are gathered into one.',
  labels,

  show({ form, canMail }, typed, errors) {
    const stored = parseSettings(form.settings).notify
    if (!canMail && stored.length === 0 && !typed) return html`<div class="ask">${noServer}</div>`
    const notify = field({
      name: 'notify',
      label: labels.notify,
      type: 'lines',
      value: typed?.get('notify') ?? stored.join('\n'),
      error: errors.notify,
      hint: `One address a line, up to ${maxAddresses}. An answer to the e-mail goes to the visitor.`,
      autocomplete: 'off',
      isOptional: true,
    })
    return html`<div class="ask">${!canMail && noServer}
${sectionForm('notifications', form, notify)}</div>`
  },

  parse: (typed, { canMail }) => parseInputs({ notify: () => parseNotify(typed.get('notify') ?? '', canMail) }),
}

const noServer = html`<p class="notice">No mail server is set up. Whoever runs this server sets <code>FORMBOX_SMTP_URL</code> and <code>FORMBOX_MAIL_FROM</code>; then addresses can be entered here.</p>`

import { parseHoneypot, parseMaxLinks, parseSpamDays, parseTerms } from '../forms/form-fields.ts'
import { maxSpamDays, maxTerms, parseSettings } from '../forms/settings.ts'
import { field } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { formPath } from './form-frame.ts'
import { parseInputs } from './parse-inputs.ts'
import { checkbox, type SettingsSection, sectionForm } from './settings-section.ts'

const labels = {
  honeypot: 'Trap field',
  blockedTerms: 'Blocked terms',
  maxLinks: 'Links allowed',
  spamDays: 'Days to keep spam',
}

/** What is taken for spam, and how long it is kept. */
export const spamSection: SettingsSection = {
  name: 'spam',
  heading: 'Spam',
  lead: 'What is kept apart instead of listed. The sender sees no difference.',
  labels,

  show({ form, fieldNames }, typed, errors) {
    const stored = parseSettings(form.settings)
    return sectionForm(
      'spam',
      form,
      html`${field({
        name: 'honeypot',
        label: labels.honeypot,
        type: 'text',
        value: typed?.get('honeypot') ?? stored.honeypot,
        error: errors.honeypot,
        hint: html`A field that visitors don’t see. Whatever fills it in is spam.${fieldNames.includes(stored.honeypot) && sentBefore(stored.honeypot)}`,
        autocomplete: 'off',
      })}
${field({
  name: 'blockedTerms',
  label: labels.blockedTerms,
  type: 'lines',
  value: typed?.get('blockedTerms') ?? stored.blockedTerms.join('\n'),
  error: errors.blockedTerms,
  hint: `One a line, up to ${maxTerms}. What contains one is spam, in any case and inside words: “win” is also in “window”.`,
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'maxLinks',
  label: labels.maxLinks,
  type: 'number',
  value: typed?.get('maxLinks') ?? String(stored.maxLinks ?? ''),
  error: errors.maxLinks,
  hint: 'In all fields together; what has more is spam. Empty: any number.',
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'spamDays',
  label: labels.spamDays,
  type: 'number',
  value: typed?.get('spamDays') ?? String(stored.spamDays),
  error: errors.spamDays,
  hint: `From 1 to ${maxSpamDays}. Then it is deleted.`,
  autocomplete: 'off',
})}
${checkbox({
  name: 'challenge',
  label: 'Ask browsers for a proof of work',
  hint: html`Takes a visitor’s device a moment while they type, and needs JavaScript. First put the <a href="${formPath(form.id)}/embed?with=challenge">snippet with the script</a> on your page: what comes without it is refused.`,
  isChecked: typed ? typed.has('challenge') : stored.challenge,
})}`,
    )
  },

  parse(typed, { form }) {
    const { honeypot } = parseSettings(form.settings)
    const typedName = typed.get('honeypot') ?? honeypot
    const inputs = parseInputs({
      // Nothing to parse where nothing was changed: the API takes spaces at the ends.
      honeypot: () => (typedName === honeypot ? undefined : parseHoneypot(typedName)),
      blockedTerms: () => parseTerms(typed.get('blockedTerms') ?? ''),
      maxLinks: () => parseMaxLinks(typed.get('maxLinks') ?? ''),
      spamDays: () => parseSpamDays(typed.get('spamDays') ?? ''),
    })
    return 'errors' in inputs ? inputs : { values: { ...inputs.values, challenge: typed.has('challenge') } }
  },
}

/** Visitors may still see a field of that name. */
const sentBefore = (name: string): Html =>
  html` <strong>This form has had a field <bdi>${name}</bdi>.</strong> If visitors still fill it in, all they send is held back, and what is in this field is not kept.`

import { parseHoneypot, parseMaxLinks, parseSpamDays, parseTerms } from '../forms/form-fields.ts'
import { maxSpamDays, maxTermCharacters, maxTerms, parseSettings } from '../forms/settings.ts'
import { type Html, html } from '../html/html.ts'
import { formPath } from './form-frame.ts'
import type { SettingsSection, ShownForm } from './setting.ts'

/** What is taken for spam, and how long it is kept. */
export const spamSection: SettingsSection = {
  name: 'spam',
  heading: 'Spam',
  lead: 'What is held back instead of listed. The sender sees no difference.',
  settings: [
    {
      name: 'honeypot',
      label: 'Trap field',
      type: 'text',
      hint: (shown) => html`A field that visitors don’t see. Whatever fills it in is spam.${sentBefore(shown)}`,
      toText: ({ settings }) => parseSettings(settings).honeypot,
      parse: parseHoneypot,
    },
    {
      name: 'blockedTerms',
      label: 'Blocked terms',
      type: 'lines',
      hint: `One a line, up to ${maxTerms} of ${maxTermCharacters} characters in all. What contains one is spam, in any case and inside words: “win” is also in “window”.`,
      isOptional: true,
      toText: ({ settings }) => parseSettings(settings).blockedTerms.join('\n'),
      parse: parseTerms,
    },
    {
      name: 'maxLinks',
      label: 'Links allowed',
      type: 'number',
      hint: 'In all fields together; what has more is spam. Empty: any number.',
      isOptional: true,
      toText: ({ settings }) => String(parseSettings(settings).maxLinks ?? ''),
      parse: parseMaxLinks,
    },
    {
      name: 'spamDays',
      label: 'Days to keep spam',
      type: 'number',
      hint: `From 1 to ${maxSpamDays}. Then it is deleted.`,
      toText: ({ settings }) => String(parseSettings(settings).spamDays),
      parse: parseSpamDays,
    },
    {
      name: 'challenge',
      label: 'Ask browsers for a proof of work',
      type: 'checkbox',
      hint: ({ form }) =>
        html`Takes a visitor’s device a moment while they type, and needs JavaScript. First put the <a href="${formPath(form.id)}/embed?with=challenge">snippet with the script</a> on your page: what comes without it is refused.`,
      toText: ({ settings }) => (parseSettings(settings).challenge ? 'on' : ''),
      parse: (text) => text === 'on',
    },
  ],
}

/** Visitors may still see a field with the name of the trap. */
const sentBefore = ({ form, fieldNames }: ShownForm): Html | false => {
  const { honeypot } = parseSettings(form.settings)
  return (
    fieldNames.includes(honeypot) &&
    html` <strong>This form has had a field <bdi>${honeypot}</bdi>.</strong> If visitors still fill it in, all they send is held back, and what is in this field is not kept.`
  )
}

import { parseHoneypot, parseMaxLinks, parseSpamDays, parseTerms } from '../forms/form-fields.ts'
import { maxSpamDays, maxTermCharacters, maxTerms, parseSettings } from '../forms/settings.ts'
import { counted, days } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { formPath } from './form-frame.ts'
import type { SettingsSection, ShownForm } from './setting.ts'

/** The rules for spam, and how long it is stored. */
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
      brief: ({ settings }) => `Trap field ${parseSettings(settings).honeypot}`,
      toText: ({ settings }) => parseSettings(settings).honeypot,
      parse: parseHoneypot,
    },
    {
      name: 'blockedTerms',
      label: 'Blocked terms',
      type: 'lines',
      hint: `One a line, up to ${maxTerms} of ${maxTermCharacters} characters in all. A submission that contains one is spam. Case is ignored, and words inside longer words count: “win” is also in “window”.`,
      isOptional: true,
      brief: ({ settings }) => {
        const { blockedTerms } = parseSettings(settings)
        return blockedTerms.length > 0 && counted(blockedTerms.length, 'blocked term')
      },
      toText: ({ settings }) => parseSettings(settings).blockedTerms.join('\n'),
      parse: parseTerms,
    },
    {
      name: 'maxLinks',
      label: 'Links allowed',
      type: 'number',
      hint: 'In all fields together; what has more is spam. Leave empty for any number.',
      isOptional: true,
      brief: ({ settings }) => {
        const { maxLinks } = parseSettings(settings)
        return maxLinks !== null && `Up to ${counted(maxLinks, 'link')}`
      },
      toText: ({ settings }) => String(parseSettings(settings).maxLinks ?? ''),
      parse: parseMaxLinks,
    },
    {
      name: 'spamDays',
      label: 'Days to keep spam',
      type: 'number',
      hint: `From 1 to ${maxSpamDays}. Then it is deleted.`,
      brief: ({ settings }) => `Kept for ${days(parseSettings(settings).spamDays)}`,
      toText: ({ settings }) => String(parseSettings(settings).spamDays),
      parse: parseSpamDays,
    },
    {
      name: 'challenge',
      label: 'Ask browsers for a proof of work',
      type: 'checkbox',
      hint: ({ form }) =>
        html`Takes a visitor’s device a moment while they type, and needs JavaScript. First put the <a href="${formPath(form.id)}/embed?with=challenge">snippet with the script</a> on your page: what comes without it is refused.`,
      brief: ({ settings }) => parseSettings(settings).challenge && 'Proof of work',
      toText: ({ settings }) => (parseSettings(settings).challenge ? 'on' : ''),
      parse: (text) => text === 'on',
    },
  ],
}

/** Warns of a trap that visitors may still see: the form has had a field of that name. */
const sentBefore = ({ form, fieldNames }: ShownForm): Html | false => {
  const { honeypot } = parseSettings(form.settings)
  return (
    fieldNames.includes(honeypot) &&
    html` <strong>This form has had a field <bdi>${honeypot}</bdi>.</strong> If visitors still fill it in, all they send is held back, and what is in this field is not kept.`
  )
}

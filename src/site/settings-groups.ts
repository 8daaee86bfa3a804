import { peopleSettingsPath, settingsPath, spamSettingsPath, visitorSettingsPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { whyClosed } from '../forms/settings/opening.ts'
import { fieldsOfReply } from '../forms/settings/reply.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted, days } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { addressNeeded, hasNoAddress } from './confirm-inputs.ts'
import { noMail } from './no-mail.ts'
import { refusedNotice, withAllowed } from './recent-origins.ts'
import { putText } from './setting.ts'
import { listed, maxSeen } from './setting-extras.ts'
import type { SettingsGroup, ShownForm } from './settings-section.ts'
import { isOwnLevel, levelLabel, levelTiles, spreadLevel } from './spam-level.ts'

/** Of the page that says where a form sends what comes in. Addresses and webhooks stand above, each in a row. */
const told: SettingsGroup = {
  name: 'told',
  heading: 'Get told',
  guide: 'email-notifications',
  address: settingsPath,
  sum({ form, webhooks }) {
    const all = webhooks.listWebhooks(form)
    const count = parseSettings(form.settings).notify.length + all.length
    const failing = all.filter(({ failingSince, disabledReason }) => failingSince !== null || disabledReason !== null)
    return html`${count === 0 ? 'Nobody yet' : counted(count, 'place')}${failing.length > 0 && html`, <span class="is-bad">${failing.length} fail${failing.length === 1 && 's'}</span>`}`
  },
  sections: [
    {
      name: 'automatic-reply',
      heading: 'Automatic reply',
      lead: 'An email that you write, sent to visitors: at most one a day to each address, and never for spam.',
      above: (shown) =>
        shown.canMail ? html`${unseenFields(shown)}${shown.mailPreview ?? false}` : noMail('No reply is sent.'),
      isFixed: ({ canMail, form }) => !canMail && parseSettings(form.settings).reply === null,
      settings: ['reply'],
      summary: ({ reply }) => (reply ? `“${reply.subject}”` : 'Off'),
      look: 'folded',
    },
    {
      name: 'emails',
      heading: 'All emails of this form',
      lead: 'Above 60 an hour to an address, the rest come in one email.',
      isFixed: ({ canMail }) => !canMail,
      settings: ['attachFiles', 'sender'],
      summary: ({ attachFiles }) => (attachFiles ? 'Files attached' : 'With links to files'),
      look: 'folded',
    },
    {
      name: 'silence',
      heading: 'If nothing comes',
      isFixed: ({ canMail }) => !canMail,
      settings: ['quietDays'],
      summary: ({ quietDays }) => (quietDays === null ? 'Off' : `Told after ${days(quietDays)}`),
      look: 'folded',
    },
  ],
}

const visitors: SettingsGroup = {
  name: 'visitors',
  heading: 'Visitors',
  guide: 'collecting',
  address: visitorSettingsPath,
  sum({ form, now }) {
    const { allowedOrigins, acceptFiles } = parseSettings(form.settings)
    const sites = allowedOrigins.length === 0 ? 'every site' : counted(allowedOrigins.length, 'site')
    return `${whyClosed(form, now) ? 'Closed' : 'Open'} · ${sites} · ${acceptFiles ? 'files' : 'no files'}`
  },
  sections: [
    {
      name: 'words',
      heading: 'Words',
      settings: [
        ...(['title', 'description', 'thankYou', 'returnUrl'] as const),
        ...(['language', 'address', 'timeZone'] as const),
      ],
      look: 'plain',
    },
    {
      name: 'opening',
      heading: 'Open and closed',
      settings: [
        'open',
        { box: 'pair if-dates', names: ['opensAt', 'closesAt'] },
        ...(['maxSubmissions', 'closedText'] as const),
      ],
    },
    { name: 'sites', heading: 'Allowed sites', above: refusedNotice, settings: ['allowedOrigins'] },
    {
      name: 'files',
      heading: 'Files',
      settings: [
        'acceptFiles',
        { box: 'inputs if-files', names: ['fileTypes'] },
        { box: 'pair if-files', names: ['maxFiles', 'maxFileBytes'] },
      ],
    },
    {
      name: 'confirm-address',
      heading: 'Confirm the address',
      lead: 'What someone sends is held until they use the link in an email. You are told only then.',
      above: (shown) =>
        shown.canMail
          ? html`${hasNoAddress(shown) && addressNeeded(shown)}${shown.mailPreview ?? false}`
          : noMail('Nobody can be asked to confirm an address.'),
      isFixed: (shown) =>
        hasNoAddress(shown) || (!shown.canMail && parseSettings(shown.form.settings).confirm === null),
      settings: ['confirm'],
      summary: ({ confirm }) => (confirm ? 'On' : 'Off'),
      look: 'folded',
    },
  ],
  spread: (sent, form) => spreadOpening(withAllowed(sent, form), form),
}

const spam: SettingsGroup = {
  name: 'spam',
  heading: 'Spam',
  guide: 'spam',
  address: spamSettingsPath,
  sum({ form }) {
    const { blockedTerms } = parseSettings(form.settings)
    return `${levelLabel(form)}${blockedTerms.length > 0 ? ` · ${counted(blockedTerms.length, 'word')}` : ''}`
  },
  sections: [
    {
      name: 'spam',
      heading: 'Spam',
      above: levelTiles,
      settings: [
        ...(['blockedTerms', 'spamDays'] as const),
        {
          fold: 'One by one',
          isOpen: isOwnLevel,
          names: ['honeypot', 'maxLinks', 'learnSpam', 'challenge', 'submitLimit'],
        },
      ],
      look: 'plain',
    },
  ],
  spread: spreadLevel,
}

const people: SettingsGroup = {
  name: 'people',
  heading: 'People and data',
  guide: 'accounts',
  address: peopleSettingsPath,
  sum({ form, members }) {
    const { retentionDays } = parseSettings(form.settings)
    const count = 1 + members.listMembers(form).members.length
    const kept = retentionDays === null ? 'kept for ever' : `kept ${days(retentionDays)}`
    return `${count === 1 ? 'Only you' : `${count} people`} · ${kept}`
  },
  sections: [
    { name: 'storage', heading: 'Group and storage', settings: [{ box: 'pair', names: ['group', 'retentionDays'] }] },
  ],
}

/** The pages of settings, in their order. */
export const settingsGroups = { told, visitors, spam, people } as const

/** A form that is open has no dates. */
const spreadOpening = (sent: URLSearchParams, _form: Form): URLSearchParams => {
  if (sent.get('open') !== 'on') return sent
  const spread = new URLSearchParams(sent)
  for (const one of ['opensAt', 'closesAt'] as const) if (sent.has(one)) putText(spread, one, null)
  return spread
}

/** Names fields in the reply that no submission has had: they may be misspelt, or of submissions to come. */
const unseenFields = ({ form, fieldNames }: ShownForm): Html | false => {
  const { reply } = parseSettings(form.settings)
  const seen = new Set(fieldNames)
  const unseen = reply ? fieldsOfReply(reply).filter((name) => !seen.has(name)) : []
  return (
    seen.size > 0 &&
    unseen.length > 0 &&
    html`<p class="notice">Not among the fields seen so far: ${listed(unseen.slice(0, maxSeen))}${unseen.length > maxSeen ? ' and others' : ''}. Check the <a href="#reply">field with the address</a> and the placeholders.</p>`
  )
}

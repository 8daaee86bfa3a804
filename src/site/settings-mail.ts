import { parseDigestZone, parseNotify, parseReply } from '../forms/form-fields.ts'
import { addressOf, isDaily } from '../forms/notify-entries.ts'
import { maxAddresses, parseSettings } from '../forms/settings.ts'
import { counted } from '../html/format.ts'
import { html } from '../html/html.ts'
import { shownLine } from '../short-text.ts'
import { timeZones } from '../time-zone.ts'
import { deliveriesPath } from './deliveries.ts'
import { entriesAsText, notifyInputs, typedEntries } from './notify-groups.ts'
import { replyAsText, replyInputs } from './reply-inputs.ts'
import type { SettingsSection } from './setting.ts'
import { seenSoFar } from './settings-general.ts'

/** The addresses that get e-mails about submissions. */
export const notificationsSection: SettingsSection = {
  name: 'notifications',
  heading: 'Notifications',
  lead: 'E-mails about submissions: one for each, or one a day. More than 60 an hour are gathered into one.',
  above: ({ canMail }) => !canMail && noServer,
  isFixed: ({ canMail, form }) => !canMail && parseSettings(form.settings).notify.length === 0,
  settings: [
    {
      name: 'notify',
      label: 'Send to',
      type: 'own',
      own: notifyInputs,
      hint: ({ form }) =>
        html`One address a line, up to ${maxAddresses}. A reply to the e-mail goes to the visitor.${parseSettings(form.settings).notify.length > 0 && html` <a href="${deliveriesPath(form.id, null)}">See what was sent</a>`}`,
      isOptional: true,
      brief: ({ settings }) => {
        const [first, ...others] = parseSettings(settings).notify
        return first === undefined
          ? 'Nobody'
          : others.length === 0
            ? addressOf(first)
            : `${addressOf(first)} and ${counted(others.length, 'other')}`
      },
      toText: ({ settings }) => entriesAsText(parseSettings(settings).notify),
      parse: (text, { canMail }) => parseNotify(typedEntries(text), canMail),
    },
    {
      name: 'digestZone',
      label: 'Time zone',
      type: 'text',
      suggestions: timeZones,
      hint: 'Of e-mails that come once a day, at 07:00: a continent and a city, such as Europe/Berlin, or UTC.',
      brief: ({ settings }) => {
        const { notify, digestZone } = parseSettings(settings)
        return notify.some(isDaily) && `Once a day (${digestZone})`
      },
      toText: ({ settings }) => parseSettings(settings).digestZone,
      parse: parseDigestZone,
    },
    {
      name: 'attachFiles',
      label: 'Attach files',
      type: 'checkbox',
      hint: 'If those of a submission have at most 7 MiB together. The e-mail links to them in any case.',
      brief: ({ settings }) => parseSettings(settings).attachFiles && 'With files',
      toText: ({ settings }) => (parseSettings(settings).attachFiles ? 'on' : ''),
      parse: (text) => text === 'on',
    },
  ],
}

/** The e-mail that answers a visitor. */
export const replySection: SettingsSection = {
  name: 'answer',
  heading: 'Answer to the visitor',
  lead: 'An e-mail of yours to whoever sends the form: at most one a day to an address, and never for spam.',
  above: ({ canMail, replyPreview }) => (canMail ? (replyPreview ?? false) : noServer),
  isFixed: ({ canMail, form }) => !canMail && parseSettings(form.settings).reply === null,
  settings: [
    {
      name: 'reply',
      label: 'Answer',
      type: 'own',
      own: replyInputs,
      hint: ({ fieldNames }) =>
        html`Its name in your HTML, such as email. With nothing here, nobody is answered.${fieldNames.length > 0 && seenSoFar(fieldNames)}`,
      isOptional: true,
      brief: ({ settings }) => {
        const { reply } = parseSettings(settings)
        return reply ? shownLine(reply.subject, 60) : 'None'
      },
      toText: ({ settings }) => replyAsText(parseSettings(settings).reply),
      parse: (text, { canMail }) => parseReply(JSON.parse(text), canMail),
    },
  ],
}

const noServer = html`<p class="notice">This server sends no e-mail. Whoever runs it sets <code>FORMBOX_URL</code>, <code>FORMBOX_SMTP_URL</code> and <code>FORMBOX_MAIL_FROM</code>; then you can enter addresses here.</p>`

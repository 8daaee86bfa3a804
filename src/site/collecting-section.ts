import { parseOrigins, parseRetentionDays, parseSubmitLimit } from '../forms/form-fields.ts'
import { maxOrigins } from '../forms/origins.ts'
import { maxRetentionDays, parseSettings } from '../forms/settings.ts'
import { count } from '../html/format.ts'
import { html } from '../html/html.ts'
import { maxBodyBytes } from '../http/read-body.ts'
import { refusedText } from './refused-origins.ts'
import type { SettingsSection } from './setting.ts'

/** What the form takes, and how long it is kept. */
export const collectingSection: SettingsSection = {
  name: 'collecting',
  heading: 'Collecting',
  lead: 'Who may send, how much is taken, and for how long it is kept.',
  settings: [
    {
      name: 'open',
      label: 'Open',
      type: 'checkbox',
      hint: 'A closed form tells visitors so and stores nothing.',
      toText: ({ settings }) => (parseSettings(settings).open ? 'on' : ''),
      parse: (text) => text === 'on',
    },
    {
      name: 'acceptFiles',
      label: 'Accept files',
      type: 'checkbox',
      hint: `Up to ${maxBodyBytes / 1024 / 1024} MiB for a submission with its files. Otherwise, one with a file is refused.`,
      toText: ({ settings }) => (parseSettings(settings).acceptFiles ? 'on' : ''),
      parse: (text) => text === 'on',
    },
    {
      name: 'allowedOrigins',
      label: 'Pages that may send',
      type: 'lines',
      hint: ({ refused }) =>
        html`One origin a line, up to ${maxOrigins}, such as https://example.com or https://*.example.com. Empty: every page may.${refused.length > 0 && html` <strong>${refusedText(refused)}</strong>`}`,
      isOptional: true,
      toText: ({ settings }) => parseSettings(settings).allowedOrigins.join('\n'),
      parse: parseOrigins,
    },
    {
      name: 'submitLimit',
      label: 'Submissions a minute',
      type: 'number',
      hint: ({ submitLimit }) => mostInWords(submitLimit),
      isOptional: true,
      toText: ({ settings }) => String(parseSettings(settings).submitLimit ?? ''),
      parse: (text, { submitLimit }) => parseSubmitLimit(text, submitLimit),
    },
    {
      name: 'retentionDays',
      label: 'Days to keep submissions',
      type: 'number',
      hint: `From 1 to ${count(maxRetentionDays)}. Older ones are deleted for good, with their files. Empty: kept until you delete them.`,
      isOptional: true,
      toText: ({ settings }) => String(parseSettings(settings).retentionDays ?? ''),
      parse: parseRetentionDays,
    },
  ],
}

const mostInWords = (most: number): string =>
  most === 0
    ? 'From one address, which people in one network may share. Empty: any number.'
    : `Up to ${count(most)} from one address, which people in one network may share. Empty: ${count(most)}.`

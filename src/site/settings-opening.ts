import { parseClosedText, parseClosesAt, parseMaxSubmissions, parseOpensAt } from '../forms/form-fields.ts'
import { closedTextRule, maxMaxSubmissions, mayClose } from '../forms/opening.ts'
import { parseSettings } from '../forms/settings.ts'
import { count, counted, time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { SettingsSection } from './setting.ts'

/** A script shows such inputs in the reader's time zone, and says so. */
const zone = html`<span data-local="In your time zone.">In UTC.</span>`

/** When the form takes submissions, and how many. */
export const openingSection: SettingsSection = {
  name: 'opening',
  heading: 'Open and closed',
  lead: 'When the form takes submissions, and how many. A closed form tells visitors so and stores nothing.',
  settings: [
    {
      name: 'open',
      label: 'Open',
      type: 'checkbox',
      hint: 'Within the times and the number below. Otherwise, the form is closed whatever they are.',
      brief({ settings }) {
        const parsed = parseSettings(settings)
        // A form with a time may be closed at present: the times alone are always true.
        return parsed.open ? !mayClose(parsed) && 'Open' : 'Closed'
      },
      toText: ({ settings }) => (parseSettings(settings).open ? 'on' : ''),
      parse: (text) => text === 'on',
    },
    {
      name: 'opensAt',
      label: 'Opens',
      type: 'datetime-local',
      hint: html`${zone} Leave empty to open it at once.`,
      isOptional: true,
      brief: ({ settings }) => inWords('From', parseSettings(settings).opensAt),
      toText: ({ settings }) => toInput(parseSettings(settings).opensAt),
      parse: parseOpensAt,
    },
    {
      name: 'closesAt',
      label: 'Closes',
      type: 'datetime-local',
      hint: html`${zone} Leave empty to keep it open.`,
      isOptional: true,
      brief: ({ settings }) => inWords('Until', parseSettings(settings).closesAt),
      toText: ({ settings }) => toInput(parseSettings(settings).closesAt),
      parse: parseClosesAt,
    },
    {
      name: 'maxSubmissions',
      label: 'Full with this many submissions',
      type: 'number',
      hint: ({ form }) =>
        `Up to ${count(maxMaxSubmissions)}; it has ${count(form.submissionCount)} now. Spam does not count, and when you delete some, there is room again. Leave empty for any number.`,
      isOptional: true,
      brief: ({ settings }) => {
        const { maxSubmissions } = parseSettings(settings)
        return maxSubmissions !== null && `Up to ${counted(maxSubmissions, 'submission')}`
      },
      toText: ({ settings }) => String(parseSettings(settings).maxSubmissions ?? ''),
      parse: parseMaxSubmissions,
    },
    {
      name: 'closedText',
      label: 'Text while it is closed',
      type: 'lines',
      hint: `What visitors read when they send something, such as where to write instead. Up to ${count(closedTextRule.maxLength)} characters.`,
      isOptional: true,
      brief: ({ settings }) => parseSettings(settings).closedText !== null && 'Text for visitors',
      toText: ({ settings }) => parseSettings(settings).closedText ?? '',
      parse: parseClosedText,
    },
  ],
}

const inWords = (word: string, moment: string | null): Html | false =>
  moment !== null && html`${word} ${time(Date.parse(moment))}`

/** The text of an input for a date and time, as a browser writes it: `2026-12-01T08:00`. */
const toInput = (moment: string | null): string => (moment ?? '').slice(0, 19).replace(/:00$/, '')

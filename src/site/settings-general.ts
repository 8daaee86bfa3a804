import { parseColumns, parseDescription, parseReturnUrl, parseThankYou, parseTitle } from '../forms/form-fields.ts'
import { maxColumns, parseSettings, thankYouRule } from '../forms/settings.ts'
import { count, counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { atMost } from '../short-text.ts'
import { ignoredText } from './form-frame.ts'
import type { SettingsSection, ShownForm } from './setting.ts'

/** The fields of the form itself, and what is shown after sending and in the list. */
export const generalSection: SettingsSection = {
  name: 'general',
  heading: 'General',
  lead: 'What the form is called, and what a visitor sees after sending.',
  above: (shown) => unseenColumns(shown),
  settings: [
    {
      name: 'title',
      label: 'Title',
      type: 'text',
      hint: 'Visitors see it on the built-in thank-you page.',
      brief: () => false,
      toText: ({ title }) => title,
      parse: parseTitle,
    },
    {
      name: 'description',
      label: 'Description',
      type: 'lines',
      hint: 'Only you see it.',
      isOptional: true,
      brief: () => false,
      toText: ({ description }) => description ?? '',
      parse: parseDescription,
    },
    {
      name: 'returnUrl',
      label: 'Return address',
      type: 'url',
      hint: ({ ignored }) =>
        html`Where a browser goes after sending. Leave empty for the built-in thank-you page.${ignored.length > 0 && html` <strong>${ignoredText(ignored)}</strong>`}`,
      isOptional: true,
      brief: ({ returnUrl }) =>
        returnUrl ? `After sending: ${returnUrl}` : 'After sending: the built-in thank-you page',
      toText: ({ returnUrl }) => returnUrl ?? '',
      parse: parseReturnUrl,
    },
    {
      name: 'thankYou',
      label: 'Thank-you text',
      type: 'lines',
      hint: `Shown on the built-in thank-you page. Up to ${count(thankYouRule.maxLength)} characters.`,
      isOptional: true,
      brief: ({ settings }) => parseSettings(settings).thankYou !== null && 'Thank-you text',
      toText: ({ settings }) => parseSettings(settings).thankYou ?? '',
      parse: parseThankYou,
    },
    {
      name: 'columns',
      label: 'Columns of the list',
      type: 'lines',
      hint: ({ fieldNames }) =>
        html`One field a line, up to ${maxColumns}. Leave empty for the first ones.${fieldNames.length > 0 && seenSoFar(fieldNames)}`,
      isOptional: true,
      brief: ({ settings }) => {
        const { columns } = parseSettings(settings)
        return columns !== null && counted(columns.length, 'column')
      },
      toText: ({ settings }) => (parseSettings(settings).columns ?? []).join('\n'),
      parse: parseColumns,
    },
  ],
}

/** Names columns that no submission has had: they may be misspelt, or of submissions to come. */
const unseenColumns = ({ form, fieldNames }: ShownForm): Html | false => {
  const seen = new Set(fieldNames)
  const unseen = (parseSettings(form.settings).columns ?? []).filter((name) => !seen.has(name))
  return (
    seen.size > 0 &&
    unseen.length > 0 &&
    html`<p class="notice" id="unseen">Not among the fields seen so far: ${listed(unseen)}. Check the <a href="#columns">columns of the list</a>.</p>`
  )
}

/** More does not fit into a hint. */
const maxSeen = 20
const maxSeenCharacters = 60

export const seenSoFar = (names: readonly string[]): Html =>
  html` Seen so far: ${listed(names.slice(0, maxSeen))}${names.length > maxSeen ? ' and others' : ''}.`

const listed = (names: readonly string[]): Html[] =>
  names.map((name, position) => html`${position > 0 && ', '}<bdi>${atMost(name, maxSeenCharacters)}</bdi>`)

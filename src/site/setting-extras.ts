import { atMost } from '../base/short-text.ts'
import { embedPath, learnedPath } from '../config/addresses.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { languages, nameOf } from '../languages/languages.ts'
import { confirmInputs } from './confirm-inputs.ts'
import { learnedText, neededText } from './learned-spam.ts'
import { ignoredText } from './recent-origins.ts'
import { replyInputs } from './reply-inputs.ts'
import type { Choices, Extra, Name, OwnInputs, ShownForm } from './settings-section.ts'

/** The usual kinds of files, in words of people who know no media types. */
const fileChoices: Choices = {
  offered: [
    { words: ['image/*'], label: 'Images', hint: 'JPEG, PNG, HEIC and others' },
    { words: ['application/pdf'], label: 'PDF' },
    { words: ['.doc', '.docx', '.odt', '.rtf'], label: 'Documents', hint: 'Word, OpenDocument, RTF' },
    { words: ['.xls', '.xlsx', '.ods', '.csv'], label: 'Spreadsheets', hint: 'Excel, OpenDocument, CSV' },
    { words: ['.ppt', '.pptx', '.odp'], label: 'Presentations', hint: 'PowerPoint, OpenDocument' },
    { words: ['audio/*'], label: 'Audio', hint: 'MP3 and others' },
    { words: ['video/*'], label: 'Video', hint: 'MP4, MOV and others' },
    { words: ['.zip'], label: 'ZIP archives' },
  ],
  others: { label: 'Others', hint: 'Extensions such as .txt .epub, or media types such as text/plain.' },
}

/** Whether a form is open, by its dates, or closed. With a date, it is open from or to it. */
const openingInputs: OwnInputs = {
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

/** The words that settings have on the page alone. Plain sentences stand with the declaration. */
export const extras: { readonly [One in Name]?: Extra } = {
  returnUrl: { remark: ({ ignored }) => ignored.length > 0 && html`<strong>${ignoredText(ignored)}</strong>` },
  open: { own: openingInputs },
  maxSubmissions: { remark: ({ form }) => `It has ${withCommas(form.submissionCount)} now.` },
  acceptFiles: {
    remark: ({ form }) => html`Your page needs the <a href="${embedPath(form.id)}?with=files">code with files</a>.`,
  },
  fileTypes: { choices: fileChoices },
  language: {
    options: () => [
      { value: '', label: 'The visitor’s browser decides' },
      ...languages.map((language) => ({ value: language, label: nameOf(language), language })),
    ],
  },
  sender: {
    isLeftOut: ({ senderNames, form }) => senderNames.length === 0 && parseSettings(form.settings).sender === null,
    options: ({ senderNames, form }) => {
      const { sender } = parseSettings(form.settings)
      const gone =
        sender === null || senderNames.includes(sender)
          ? []
          : [{ value: sender, label: `${sender} (not offered any more: emails wait)` }]
      return [{ value: '', label: 'The usual one' }, ...senderNames.map((value) => ({ value, label: value })), ...gone]
    },
  },
  reply: { own: replyInputs, remark: ({ fieldNames }) => seenSoFar(fieldNames) },
  confirm: { own: confirmInputs },
  honeypot: { remark: (shown) => sentBefore(shown) },
  learnSpam: {
    remark: ({ form, learned }) =>
      learned === null
        ? `${neededText}.`
        : html`${learnedText(learned)} <a href="${learnedPath(form.id)}">See what was learned</a>.`,
  },
  challenge: {
    remark: ({ form }) =>
      html`First put the <a href="${embedPath(form.id)}?with=challenge">code with the script</a> on your page. Submissions without it are refused.`,
  },
}

/** More does not fit into a hint. */
export const maxSeen = 20
const maxSeenCharacters = 60

const seenSoFar = (names: readonly string[]): Html | false =>
  names.length > 0 &&
  html`Seen so far: ${listed(names.slice(0, maxSeen))}${names.length > maxSeen ? ' and others' : ''}.`

export const listed = (names: readonly string[]): Html[] =>
  names.map((name, position) => html`${position > 0 && ', '}<bdi>${atMost(name, maxSeenCharacters)}</bdi>`)

/** Warns of a trap that visitors may still see: the form has had a field of that name. */
const sentBefore = ({ form, fieldNames }: ShownForm): Html | false => {
  const { honeypot } = parseSettings(form.settings)
  return (
    fieldNames.includes(honeypot) &&
    html`<strong>This form has had a field <bdi>${honeypot}</bdi>.</strong> If visitors still fill it in, everything they send is held back as spam, and the text in this field is lost.`
  )
}

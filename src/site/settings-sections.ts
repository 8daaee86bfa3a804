import { atMost } from '../base/short-text.ts'
import { deliveriesPath, embedPath, learnedPath, visitorsPath } from '../config/addresses.ts'
import { visitedName } from '../forms/form-address.ts'
import { toAddressed } from '../forms/settings/notify-entries.ts'
import { fieldsOfReply } from '../forms/settings/reply.ts'
import { type FormSettings, parseSettings } from '../forms/settings/settings.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { languages, nameOf } from '../languages/languages.ts'
import { fieldRows } from './field-rows.ts'
import { learnedText, neededText } from './learned-spam.ts'
import { notifyInputs } from './notify-groups.ts'
import { pageInputs } from './page-inputs.ts'
import { ignoredText, lostText, refusedText } from './recent-origins.ts'
import { replyInputs } from './reply-inputs.ts'
import type { Choices, Extra, Name, SettingsSection, ShownForm } from './settings-section.ts'

/** The sections of the page, in their order. The webhooks, and copying and deleting, have their own. */
export const sections: readonly [SettingsSection, ...SettingsSection[]] = [
  {
    name: 'general',
    heading: 'General',
    lead: 'What the form is called, and what a visitor sees after sending.',
    above: (shown) =>
      unseenFields(shown, ({ columns }) => columns ?? [], html`<a href="#columns">columns of the list</a>`),
    settings: ['title', 'description', 'group', 'address', 'returnUrl', 'thankYou', 'language', 'timeZone', 'columns'],
  },
  {
    name: 'opening',
    heading: 'Open and closed',
    lead: 'When the form accepts submissions, and how many. A closed form tells visitors so and stores nothing.',
    settings: ['open', 'opensAt', 'closesAt', 'maxSubmissions', 'closedText'],
  },
  {
    name: 'collecting',
    heading: 'Collecting',
    lead: 'Who may send, how often, and how long submissions are kept.',
    settings: ['allowedOrigins', 'submitLimit', 'retentionDays'],
  },
  {
    name: 'checks',
    heading: 'Fields',
    lead: 'Which fields the form has, and their rules. A submission that breaks a rule is refused, and its sender is told everything that is wrong.',
    settings: ['fields', 'otherFields'],
  },
  {
    name: 'page',
    heading: 'Page',
    lead: 'The form on a page of this server, for a link, a QR code, or a frame on another page. It is drawn from the fields above.',
    above: (shown) => pageNotice(shown),
    isFixed: ({ formPages, form }) => !formPages && parseSettings(form.settings).page === null,
    settings: ['page'],
  },
  {
    name: 'files',
    heading: 'Files',
    lead: 'Whether visitors may send files, and which ones. A submission with any other file is refused as a whole.',
    settings: ['acceptFiles', 'fileTypes', 'maxFiles', 'maxFileBytes'],
  },
  {
    name: 'spam',
    heading: 'Spam',
    lead: 'Which submissions are held back instead of listed. Senders see no difference.',
    settings: ['honeypot', 'blockedTerms', 'maxLinks', 'learnSpam', 'spamDays', 'challenge'],
  },
  {
    name: 'notifications',
    heading: 'Notifications',
    lead: 'Emails about submissions: one for each, or one a day or a week. Above 60 an hour, the rest come in one email.',
    above: (shown) => (shown.canMail ? unseenFields(shown, fieldsOfNotify, conditionsToCheck) : noServer),
    isFixed: ({ canMail, form }) => !canMail && parseSettings(form.settings).notify.length === 0,
    settings: ['notify', 'attachFiles', 'sender'],
  },
  {
    name: 'automatic-reply',
    heading: 'Automatic reply',
    lead: 'An email that you write, sent to visitors: at most one a day to each address, and never for spam.',
    above: (shown) =>
      shown.canMail
        ? html`${unseenFields(shown, ({ reply }) => (reply ? fieldsOfReply(reply) : []), replyToCheck)}${shown.replyPreview ?? false}`
        : noServer,
    isFixed: ({ canMail, form }) => !canMail && parseSettings(form.settings).reply === null,
    settings: ['reply'],
  },
]

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

/** The words that settings have on the page alone. Plain sentences stand with the declaration. */
export const extras: { readonly [One in Name]?: Extra } = {
  returnUrl: { remark: ({ ignored }) => ignored.length > 0 && html`<strong>${ignoredText(ignored)}</strong>` },
  columns: { remark: ({ fieldNames }) => seenSoFar(fieldNames) },
  maxSubmissions: { remark: ({ form }) => `It has ${withCommas(form.submissionCount)} now.` },
  allowedOrigins: {
    remark: ({ form, refused, lost }) =>
      (refused.length > 0 || lost.length > 0) &&
      html`<strong>${refused.length > 0 && refusedText(refused)}${refused.length > 0 && lost.length > 0 && ' '}${lost.length > 0 && lostText(visitedName(form), lost)}</strong>`,
  },
  acceptFiles: {
    remark: ({ form }) => html`Your page needs a <a href="${embedPath(form.id)}?with=files">form for files</a>.`,
  },
  fileTypes: { choices: fileChoices },
  language: {
    options: () => [
      { value: '', label: 'The visitor’s browser decides' },
      ...languages.map((language) => ({ value: language, label: nameOf(language), language })),
    ],
  },
  fields: { own: fieldRows },
  page: { own: pageInputs },
  notify: {
    own: notifyInputs,
    remark: ({ form }) =>
      parseSettings(form.settings).notify.length > 0 &&
      html`<a href="${deliveriesPath(form.id)}">See what was sent</a>`,
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
  honeypot: { remark: (shown) => sentBefore(shown) },
  learnSpam: {
    remark: ({ form, learned }) =>
      learned === null
        ? `${neededText}.`
        : html`${learnedText(learned)} <a href="${learnedPath(form.id)}">See what was learned</a>.`,
  },
  challenge: {
    remark: ({ form }) =>
      html`First put the <a href="${embedPath(form.id)}?with=challenge">snippet with the script</a> on your page. Submissions without it are refused.`,
  },
}

const replyToCheck = html`<a href="#reply">field with the address</a> and the placeholders`
const conditionsToCheck = html`<a href="#notify">conditions</a> of the addresses`

const fieldsOfNotify = ({ notify }: FormSettings): string[] =>
  notify.flatMap((entry) => toAddressed(entry).only?.field ?? [])

/** Names fields in the settings that no submission has had: they may be misspelt, or of submissions to come. */
const unseenFields = (
  { form, fieldNames }: ShownForm,
  fieldsIn: (settings: FormSettings) => readonly string[],
  toCheck: Html,
): Html | false => {
  const seen = new Set(fieldNames)
  const unseen = [...new Set(fieldsIn(parseSettings(form.settings)))].filter((name) => !seen.has(name))
  return (
    seen.size > 0 &&
    unseen.length > 0 &&
    html`<p class="notice">Not among the fields seen so far: ${listed(unseen.slice(0, maxSeen))}${unseen.length > maxSeen ? ' and others' : ''}. Check the ${toCheck}.</p>`
  )
}

/** More does not fit into a hint. */
const maxSeen = 20
const maxSeenCharacters = 60

const seenSoFar = (names: readonly string[]): Html | false =>
  names.length > 0 &&
  html`Seen so far: ${listed(names.slice(0, maxSeen))}${names.length > maxSeen ? ' and others' : ''}.`

const listed = (names: readonly string[]): Html[] =>
  names.map((name, position) => html`${position > 0 && ', '}<bdi>${atMost(name, maxSeenCharacters)}</bdi>`)

/** Warns of a trap that visitors may still see: the form has had a field of that name. */
const sentBefore = ({ form, fieldNames }: ShownForm): Html | false => {
  const { honeypot } = parseSettings(form.settings)
  return (
    fieldNames.includes(honeypot) &&
    html`<strong>This form has had a field <bdi>${honeypot}</bdi>.</strong> If visitors still fill it in, everything they send is held back as spam, and the text in this field is lost.`
  )
}

const pageNotice = ({ form, formPages }: ShownForm): Html | false => {
  if (!formPages)
    return html`<p class="notice">The person who runs this server does not allow pages of forms (<code>FORMBOX_FORM_PAGES</code>).</p>`
  const { page, fields } = parseSettings(form.settings)
  if (page !== null)
    return html`<p><a href="${visitorsPath(visitedName(form))}" target="_blank" rel="noopener">See the page</a>. Its link and its QR code are under <a href="${embedPath(form.id)}#page">Embed</a>.</p>`
  return (
    !fields.some(({ type }) => type !== 'hidden') &&
    html`<p class="notice">First add <a href="#checks">the fields</a> of the form.</p>`
  )
}

const noServer = html`<p class="notice">This server cannot send email. You can use this section once the person who runs the server has set <code>FORMBOX_URL</code>, <code>FORMBOX_MAIL_URL</code> and <code>FORMBOX_MAIL_FROM</code>.</p>`

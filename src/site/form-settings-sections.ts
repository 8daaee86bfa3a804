import {
  parseColumns,
  parseDescription,
  parseFileTypes,
  parseHoneypot,
  parseMaxFileBytes,
  parseMaxFiles,
  parseMaxLinks,
  parseNotify,
  parseOrigins,
  parseRetentionDays,
  parseReturnUrl,
  parseSpamDays,
  parseSubmitLimit,
  parseTerms,
  parseThankYou,
  parseTitle,
  sizeInWords,
} from '../forms/form-fields.ts'
import { maxOrigins } from '../forms/origins.ts'
import {
  maxAddresses,
  maxColumns,
  maxMaxFiles,
  maxRetentionDays,
  maxSpamDays,
  maxTermCharacters,
  maxTerms,
  parseSettings,
  thankYouRule,
} from '../forms/settings.ts'
import { count } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { atMost } from '../short-text.ts'
import { deliveriesPath } from './deliveries.ts'
import { formPath, refusedText } from './form-frame.ts'
import { inOrder, type SettingsSection, type ShownForm } from './setting.ts'

/** The fields of the form itself, and what is shown after sending and in the list. */
const generalSection: SettingsSection = {
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
      toText: ({ title }) => title,
      parse: parseTitle,
    },
    {
      name: 'description',
      label: 'Description',
      type: 'lines',
      hint: 'Only you see it.',
      isOptional: true,
      toText: ({ description }) => description ?? '',
      parse: parseDescription,
    },
    {
      name: 'returnUrl',
      label: 'Return address',
      type: 'url',
      hint: 'Where a browser goes after sending. Empty: the built-in thank-you page.',
      isOptional: true,
      toText: ({ returnUrl }) => returnUrl ?? '',
      parse: parseReturnUrl,
    },
    {
      name: 'thankYou',
      label: 'Thank-you text',
      type: 'lines',
      hint: `Shown on the built-in thank-you page. Up to ${count(thankYouRule.maxLength)} characters.`,
      isOptional: true,
      toText: ({ settings }) => parseSettings(settings).thankYou ?? '',
      parse: parseThankYou,
    },
    {
      name: 'columns',
      label: 'Columns of the list',
      type: 'lines',
      hint: ({ fieldNames }) =>
        html`One field a line, up to ${maxColumns}. Empty: the first ones.${fieldNames.length > 0 && seenSoFar(fieldNames)}`,
      isOptional: true,
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

const seenSoFar = (names: readonly string[]): Html =>
  html` Seen so far: ${listed(names.slice(0, maxSeen))}${names.length > maxSeen ? ' and others' : ''}.`

const listed = (names: readonly string[]): Html[] =>
  names.map((name, position) => html`${position > 0 && ', '}<bdi>${atMost(name, maxSeenCharacters)}</bdi>`)

/** Limits of what the form takes, and how long it is stored. */
const collectingSection: SettingsSection = {
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

/** The usual kinds of files, in words of people who know no media types. */
const fileChoices = {
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
  others: { label: 'Others', hint: 'Endings such as .txt .epub, or media types such as text/plain.' },
}

/** Which files the form takes. */
const filesSection: SettingsSection = {
  name: 'files',
  heading: 'Files',
  lead: 'Whether visitors may send files, and which ones. A submission with any other file is refused as a whole.',
  settings: [
    {
      name: 'acceptFiles',
      label: 'Accept files',
      type: 'checkbox',
      hint: ({ form }) =>
        html`Otherwise, a submission with a file is refused. Your page needs a <a href="${formPath(form.id)}/embed?with=files">form for files</a>.`,
      toText: ({ settings }) => (parseSettings(settings).acceptFiles ? 'on' : ''),
      parse: (text) => text === 'on',
    },
    {
      name: 'fileTypes',
      label: 'Kinds of files',
      type: 'choices',
      choices: fileChoices,
      hint: 'None chosen: every kind. Names and contents must both fit: a program called cv.pdf is no PDF.',
      isOptional: true,
      toText: ({ settings }) => inOrder(fileChoices, parseSettings(settings).fileTypes).join('\n'),
      parse: parseFileTypes,
    },
    {
      name: 'maxFiles',
      label: 'Files in a submission',
      type: 'number',
      hint: `Up to ${maxMaxFiles}. Empty: ${maxMaxFiles}.`,
      isOptional: true,
      toText: ({ settings }) => String(parseSettings(settings).maxFiles ?? ''),
      parse: parseMaxFiles,
    },
    {
      name: 'maxFileBytes',
      label: 'Size of a file',
      type: 'text',
      hint: ({ fileLimitBytes }) =>
        `Such as 500 KiB or 2 MiB, up to ${sizeInWords(fileLimitBytes)}. Empty: ${sizeInWords(fileLimitBytes)}.`,
      isOptional: true,
      toText: ({ settings }) => {
        const { maxFileBytes } = parseSettings(settings)
        return maxFileBytes === null ? '' : sizeInWords(maxFileBytes)
      },
      parse: (text, { fileLimitBytes }) => parseMaxFileBytes(text, fileLimitBytes),
    },
  ],
}

/** The rules for spam, and how long it is stored. */
const spamSection: SettingsSection = {
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

/** Warns of a trap that visitors may still see: the form has had a field of that name. */
const sentBefore = ({ form, fieldNames }: ShownForm): Html | false => {
  const { honeypot } = parseSettings(form.settings)
  return (
    fieldNames.includes(honeypot) &&
    html` <strong>This form has had a field <bdi>${honeypot}</bdi>.</strong> If visitors still fill it in, all they send is held back, and what is in this field is not kept.`
  )
}

/** The addresses that get an e-mail for each submission. */
const notificationsSection: SettingsSection = {
  name: 'notifications',
  heading: 'Notifications',
  lead: 'An e-mail for each submission. More than 60 an hour are gathered into one.',
  above: ({ canMail }) => !canMail && noServer,
  isFixed: ({ canMail, form }) => !canMail && parseSettings(form.settings).notify.length === 0,
  settings: [
    {
      name: 'notify',
      label: 'Send to',
      type: 'lines',
      hint: ({ form }) =>
        html`One address a line, up to ${maxAddresses}. A reply to the e-mail goes to the visitor.${parseSettings(form.settings).notify.length > 0 && html` <a href="${deliveriesPath(form.id, null)}">See what was sent</a>`}`,
      isOptional: true,
      toText: ({ settings }) => parseSettings(settings).notify.join('\n'),
      parse: (text, { canMail }) => parseNotify(text, canMail),
    },
    {
      name: 'attachFiles',
      label: 'Attach files',
      type: 'checkbox',
      hint: 'If those of a submission have at most 7 MiB together. The e-mail links to them in any case.',
      toText: ({ settings }) => (parseSettings(settings).attachFiles ? 'on' : ''),
      parse: (text) => text === 'on',
    },
  ],
}

const noServer = html`<p class="notice">This server sends no e-mail. Whoever runs it sets <code>FORMBOX_SMTP_URL</code> and <code>FORMBOX_MAIL_FROM</code>; then you can enter addresses here.</p>`

/** The sections of the page, in their order. The webhooks, and copying and deleting, have their own. */
export const sections = [generalSection, collectingSection, filesSection, spamSection, notificationsSection] as const

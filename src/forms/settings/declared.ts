import { counted, withCommas } from '../../html/format.ts'
import type { Html } from '../../html/html.ts'
import { languages } from '../../languages/languages.ts'
import { digestClock } from '../../outbox/digest-times.ts'
import { maxNameBytes } from '../field-names.ts'
import { formFields, maxFormFields } from '../fields/fields-kind.ts'
import type { Form } from '../form.ts'
import { confirm } from './confirm.ts'
import type { FormLimits } from './form-limits.ts'
import { type Kind, orNull } from './kind.ts'
import { flag, httpUrl, integer, linesOf, size, sizeInWords, text, textOrNull } from './kinds.ts'
import { notifyEntries } from './notify.ts'
import { maxOrigins } from './origins.ts'
import {
  fieldNamesOrNull,
  fileType,
  formAddress,
  groupName,
  moment,
  origin,
  refusesOthers,
  senderName,
  timeZone,
  trapName,
  visitorLanguage,
} from './own-kinds.ts'
import { page } from './page.ts'
import { reply } from './reply.ts'
import {
  type FormSettings,
  maxAddresses,
  maxColumns,
  maxFileTypes,
  maxMaxFiles,
  returnUrlRule,
  type SentSetting,
  type SettingName,
  termRule,
} from './settings.ts'

/** All that is said of a setting, or of a form's own field. */
export interface Setting<T, Sent = T> {
  readonly kind: Kind<T, Sent>
  /** For its input on the page. A page may add to the hint what depends on the form. */
  readonly label: string
  readonly hint: string | ((limits: FormLimits) => string)
  /** Behind the input, of a number. */
  readonly unit?: string
  /** The stored value in a few words, for a line that opens; false or empty if no one misses it there. */
  readonly brief?: (value: T, settings: FormSettings) => string | Html | false
  /** For the document. What is tried out of an example must not close a form, or delete anything. */
  readonly description: string
  /** A page of the documentation that says more. */
  readonly details?: string
  readonly example: unknown
  /** The most that the operator allows, and the variable that says it. */
  readonly bound?: { readonly most: (limits: FormLimits) => number; readonly variable: string }
  /** The value that it must have on a server that sends no mail. */
  readonly withoutMail?: 'empty' | 'null'
}

const maxMaxSubmissions = 1_000_000
const maxClosedText = 1000
const maxThankYou = 1000
const maxTerms = 200
/** Characters of all terms of a form. Looking for them takes memory for each. */
const maxTermCharacters = 4000
const maxMaxLinks = 1000
const maxSpamDays = 365
const maxQuietDays = 365
const maxRetentionDays = 3650
const maxSubmitLimit = 1_000_000

const tooLong = (terms: readonly string[]): string | undefined => {
  const characters = [...terms.join('')].length
  if (characters <= maxTermCharacters) return undefined
  return `must be at most ${maxTermCharacters} characters in total; got ${characters}`
}

/**
 * The settings of a form. Each has its type and its default in settings.ts. What they must not be together is in
 * together-rules.ts.
 */
export const settings: { readonly [Name in SettingName]: Setting<FormSettings[Name], SentSetting<Name>> } = {
  open: {
    kind: flag,
    label: 'Open',
    hint: 'Accept submissions, within the dates and the limit below. If off, the form is closed.',
    description: 'Whether the form accepts submissions. A closed form responds to `POST /s/{formId}` with 403.',
    details: 'spam.md#open-and-closed',
    example: true,
  },
  opensAt: {
    kind: orNull(moment),
    label: 'Opens',
    hint: 'Leave empty to open it at once.',
    description:
      'Time from which the form accepts submissions, such as `2026-12-01T08:00:00Z`; before it, 403. Null for any time. It is ' +
      'stored in UTC, in whole seconds.',
    example: null,
  },
  closesAt: {
    kind: orNull(moment),
    label: 'Closes',
    hint: 'Leave empty to keep it open.',
    description: 'Time from which the form responds with 403, later than `opensAt`; null for never.',
    example: '2100-12-31T23:00:00.000Z',
  },
  maxSubmissions: {
    kind: orNull(integer({ min: 1, max: maxMaxSubmissions })),
    label: 'Closes after',
    unit: 'submissions',
    hint: `Up to ${withCommas(maxMaxSubmissions)}. Spam does not count, and deleting submissions makes room again. Leave empty for any number.`,
    description:
      `Number of submissions with which the form is full and responds with 403, 1 to ${withCommas(maxMaxSubmissions)}; null for never. It is ` +
      'exact. Spam does not count, and deleting submissions makes room again.',
    example: null,
  },
  closedText: {
    kind: textOrNull({ minLength: 1, maxLength: maxClosedText }, 'lines'),
    label: 'Text while closed',
    hint: `Shown to visitors who send something, such as where to write instead. Up to ${withCommas(maxClosedText)} characters.`,
    description:
      `Text for visitors while the form is closed: 1 to ${withCommas(maxClosedText)} characters; null for the default text. Line breaks are ` +
      'kept.',
    example: 'Registration is over. Write to us if you would like to come.',
  },
  allowedOrigins: {
    kind: linesOf(origin, { max: maxOrigins, many: 'origins', typed: ['line', 'lines'] }),
    label: 'Pages that may send',
    hint: `One site a line, up to ${maxOrigins}, such as https://example.com or https://*.example.com. Leave empty to allow every page.`,
    description:
      `Up to ${maxOrigins} origins of pages that may send, such as \`https://example.com\` or \`https://*.example.com\` for one level ` +
      'below, and of apps and browser extensions, such as `capacitor://localhost`; an empty list allows all. They are stored as ' +
      'browsers write them: in lower case, in Punycode, without the default port. A submission from another origin, or without one, gets 403.',
    details: 'spam.md#pages-that-may-send',
    example: [],
  },
  acceptFiles: {
    kind: flag,
    label: 'Visitors may send files',
    hint: 'If off, a submission with a file is refused.',
    description: 'Whether a submission may have files. If not, a submission with a file gets 400.',
    example: true,
  },
  fileTypes: {
    kind: linesOf(fileType, { max: maxFileTypes, many: 'kinds of files', typed: ['entry', 'entries'] }),
    label: 'Kinds of files',
    hint: 'Choose none to accept every kind. The name and the content of a file must both match: a program renamed cv.pdf is refused.',
    description:
      `Up to ${maxFileTypes} kinds of files that a submission may have, such as \`image/*\`, \`application/pdf\` and \`.docx\`; an empty list ` +
      'allows all. A file fits if its name or its declared type does, and its first bytes do not contradict. Endings of one format, ' +
      'such as `.jpg` and `.jpeg`, are one. Any other file gets 400. They are stored in lower case.',
    details: 'collecting.md#files',
    example: ['image/*', 'application/pdf', '.docx'],
  },
  maxFiles: {
    kind: orNull(integer({ min: 1, max: maxMaxFiles })),
    label: 'Files allowed',
    unit: 'in a submission',
    hint: `Up to ${maxMaxFiles}. Leave empty for ${maxMaxFiles}.`,
    description: `Files in one submission, 1 to ${maxMaxFiles}; null for ${maxMaxFiles}. More get 400.`,
    example: 3,
  },
  maxFileBytes: {
    kind: orNull(size({ min: 1, max: 100 * 1024 * 1024 })),
    label: 'Each file up to',
    hint: ({ fileLimitBytes }) =>
      `Such as 500 KiB or 2 MiB, up to ${sizeInWords(fileLimitBytes)}. Leave empty for ${sizeInWords(fileLimitBytes)}.`,
    description:
      'Bytes of one file, 1 to `FORMBOX_FILE_LIMIT`; a larger one gets 413. Null means `FORMBOX_FILE_LIMIT`. A lower limit of ' +
      'the operator applies.',
    example: 5_242_880,
    bound: { most: ({ fileLimitBytes }) => fileLimitBytes, variable: 'FORMBOX_FILE_LIMIT' },
  },
  columns: {
    kind: fieldNamesOrNull(maxColumns),
    label: 'Columns of the list',
    hint: `One field per line, up to ${maxColumns}. Leave empty for the first four.`,
    description:
      `Names of up to ${maxColumns} fields that the page with the list of submissions shows; null for the first four. Each name is at ` +
      `most ${maxNameBytes} bytes as JSON.`,
    example: ['name', 'email'],
  },
  thankYou: {
    kind: textOrNull({ minLength: 1, maxLength: maxThankYou }, 'lines'),
    label: 'Thank-you text',
    hint: `Shown on the built-in thank-you page. Up to ${withCommas(maxThankYou)} characters.`,
    description: `Text of the built-in thank-you page: 1 to ${withCommas(maxThankYou)} characters; null for the default text. Line breaks are kept.`,
    example: 'Thank you! We reply within two working days.',
  },
  notify: {
    kind: notifyEntries,
    label: 'Send to',
    hint: `One address per line, up to ${maxAddresses}. Your reply to the email goes to the visitor.`,
    description:
      `Up to ${maxAddresses} email addresses for notifications, or objects, no two of the same address. An object with \`digest\` set to ` +
      '`day` gets one email a day, to `week` one on Mondays. On a server without `FORMBOX_MAIL_URL` and `FORMBOX_MAIL_FROM`, it must be empty. Within 24 ' +
      'hours, you can add 50 addresses that are not your own. Addresses whose owners have stopped all email of this server are ' +
      'refused.',
    details: '#notifications-and-replies',
    example: [],
    withoutMail: 'empty',
  },
  timeZone: {
    kind: timeZone,
    label: 'Time zone',
    hint: `Of the times in emails and exports, and of what comes at ${digestClock}. A continent and a city, such as Europe/Berlin, or UTC.`,
    description:
      `Time zone of the times in emails, and of the emails that come at ${digestClock}: a name of the IANA database, such as ` +
      '`Europe/Berlin`.',
    example: 'UTC',
  },
  attachFiles: {
    kind: flag,
    label: 'Attach files',
    hint: 'Up to 7 MiB for one submission. If its files are larger, none is attached. The email always links to them.',
    description:
      'Whether emails to `notify` have the files of a submission attached, if they have at most 7 MiB together.',
    example: false,
  },
  reply: {
    kind: reply,
    label: 'Automatic reply',
    hint: 'Its name in your HTML, such as email. Leave empty to send no reply.',
    description:
      'The automatic reply, or null. It goes to the address in the field `field`; never for spam, imports and repeats, nor to an ' +
      'address in `notify`. In `subject` and `text`, `{name}` stands for the field of this name, `{title}` for the title of the ' +
      'form, and `{reference}` for the first 8 characters of the submission’s `id`. `copy` adds what was sent, and needs ' +
      '`challenge` and `allowedOrigins`. A form and a user have limits of replies; what exceeds one is in the list of deliveries, as `skipped`. On a server without ' +
      '`FORMBOX_MAIL_URL` and `FORMBOX_MAIL_FROM`, it must be null.',
    details: 'automatic-replies.md',
    // What is tried out of the sample works on every server.
    example: null,
    withoutMail: 'null',
  },
  honeypot: {
    kind: trapName,
    label: 'Name of the trap',
    hint: 'A field that visitors don’t see. A submission that fills it in is spam.',
    brief: (name) => `Trap field ${name}`,
    description:
      'Name of the trap field, 1 to 64 characters. A submission that fills it in is spam. The field is not part of the data. In ' +
      'JSON, only the outermost names count.',
    details: 'spam.md#the-trap-field',
    example: '_gotcha',
  },
  challenge: {
    kind: flag,
    label: 'Let browsers work before they send',
    hint: 'A proof of work. Takes a visitor’s device a moment while they type, and needs JavaScript.',
    brief: (isAsked) => isAsked && 'Proof of work',
    description:
      'Whether a submission must carry a proof of work: a challenge from `GET /s/{formId}/challenge` with its solution, in the ' +
      'field `_challenge`. Without one, it gets 400.',
    details: 'spam.md#proof-of-work',
    example: false,
  },
  blockedTerms: {
    kind: linesOf(text(termRule), {
      max: maxTerms,
      many: 'texts',
      typed: ['line', 'lines'],
      together: tooLong,
    }),
    label: 'Words that are spam',
    hint: `One a line, up to ${maxTerms} terms, ${withCommas(maxTermCharacters)} characters in total. A submission that contains one is spam. Case is ignored, and words inside longer words count: “win” is also in “window”.`,
    description:
      `Up to ${maxTerms} texts of ${termRule.minLength} to ${termRule.maxLength} characters, ${withCommas(maxTermCharacters)} characters in total. A submission that contains one of ` +
      'them in any field, in upper or lower case, is spam.',
    details: 'spam.md#blocked-terms-and-links',
    example: ['casino'],
  },
  maxLinks: {
    kind: orNull(integer({ min: 0, max: maxMaxLinks })),
    label: 'Links allowed',
    unit: 'in a submission',
    hint: 'Counted across all fields. More links than this is spam. Leave empty for any number.',
    brief: (most) => most !== null && `Up to ${counted(most, 'link')}`,
    description: `A submission with more links than this, counted across all fields, is spam, 0 to ${withCommas(maxMaxLinks)}; null for any number.`,
    details: 'spam.md#blocked-terms-and-links',
    example: 3,
  },
  spamDays: {
    kind: integer({ min: 1, max: maxSpamDays }),
    label: 'Delete spam after',
    unit: 'days',
    hint: `From 1 to ${maxSpamDays}.`,
    description: `Days after which spam is deleted, 1 to ${maxSpamDays}, counted from when it arrived or was marked.`,
    example: 30,
  },
  retentionDays: {
    kind: orNull(integer({ min: 1, max: maxRetentionDays })),
    label: 'Delete submissions after',
    unit: 'days',
    hint: `From 1 to ${withCommas(maxRetentionDays)}. Older ones are deleted for good, with their files. Leave empty to keep them until you delete them.`,
    description:
      `Days after which submissions are deleted permanently, with their files, 1 to ${withCommas(maxRetentionDays)}; null for never. Those that ` +
      'are already older when it is set, or when they are imported, are deleted within about an hour.',
    details: 'deleting.md#after-some-days',
    example: null,
  },
  submitLimit: {
    kind: orNull(integer({ min: 1, max: maxSubmitLimit })),
    label: 'Submissions allowed',
    unit: 'a minute from one address',
    hint({ submitLimit: most }) {
      const address = 'from one IP address, which people in one network may share. Leave empty for'
      return most === 0
        ? `F${address.slice(1)} any number.`
        : `Up to ${withCommas(most)} ${address} ${withCommas(most)}.`
    },
    brief: (most) => most !== null && `${withCommas(most)} a minute from one IP address`,
    description:
      'Submissions a minute from one client address (with IPv6, from one /64 network), 1 to `FORMBOX_SUBMIT_LIMIT`; more get 429. ' +
      'Null means `FORMBOX_SUBMIT_LIMIT`. A lower limit of the operator applies.',
    details: 'spam.md#limits-by-form-and-address',
    example: 10,
    bound: {
      most: ({ submitLimit }) => (submitLimit === 0 ? maxSubmitLimit : Math.min(submitLimit, maxSubmitLimit)),
      variable: 'FORMBOX_SUBMIT_LIMIT',
    },
  },
  fields: {
    kind: formFields,
    label: 'Fields',
    hint: `Up to ${maxFormFields}. A name is the one in your HTML, and what exports and webhooks use. A changed name is another field; a label can change at any time.`,
    description:
      `Up to ${maxFormFields} fields with their rules, at most 32 KiB as JSON; an empty list checks nothing. A submission that breaks a rule ` +
      'gets 400 with every problem. Values are stored as they were sent, except that those of `choices` are always an array. What ' +
      'has its default is left out of a field.',
    details: 'fields.md',
    example: [{ name: 'email', type: 'email', label: 'Email address', required: true }],
  },
  otherFields: {
    kind: refusesOthers,
    label: 'Refuse other fields',
    hint: 'If on, a submission with a field that is not in this list is refused. If off, it is stored like the others.',
    description:
      'What happens to a submission with a name that is not among `fields`: `keep` stores it, `refuse` responds with 400. It has no ' +
      'effect while `fields` is empty.',
    details: 'fields.md#other-fields',
    example: 'keep',
  },
  language: {
    kind: orNull(visitorLanguage),
    label: 'Language of Formbox’s own texts',
    hint: 'Such as errors and the end of replies. A page can ask for another one with the field “_language”.',
    description:
      `Language in which visitors read the texts of Formbox: one of ${languages.map((one) => `\`${one}\``).join(', ')}; null for the ` +
      'language that their browser asks for. The field `_language` comes first.',
    details: 'collecting.md#languages',
    example: 'de',
  },
  learnSpam: {
    kind: flag,
    label: 'Learn from what is marked as spam',
    hint: 'Hold back what looks like the spam that was marked in this form, and unlike what is in the inbox.',
    brief: (learns) => learns && 'Learns from what is marked',
    description:
      'Whether to hold back submissions that look like those marked as spam, and unlike the inbox: `reason` is `similar`. ' +
      'It needs 5 marked submissions and 50 in the inbox.',
    details: 'spam.md#spam-that-is-learned',
    example: true,
  },
  page: {
    kind: page,
    label: 'Page',
    hint: 'Formbox shows the form on a page of its own: for a link, a QR code, or a frame on another page.',
    description:
      'The page of the form at `GET /f/{formId}`, or null. It is drawn from `fields`, which must have one that is not hidden. None of ' +
      'its fields may ask for a password, a PIN, a one-time code, the number or code of a card, or a seed phrase. On a server with ' +
      '`FORMBOX_FORM_PAGES=false`, it must be null.',
    details: 'form-pages.md',
    // What is tried out of the sample works for a form without fields.
    example: null,
  },
  group: {
    kind: orNull(groupName),
    label: 'Group',
    hint: 'A heading in the list of forms, such as the name of a site. Up to 60 characters.',
    description:
      'Heading under which the form is listed: 1 to 60 characters in one line; null for none. No one gets a right by it.',
    example: 'Bakery',
  },
  sender: {
    kind: orNull(senderName),
    label: 'Sender',
    hint: 'From whom the emails of this form come, automatic replies too.',
    description:
      'Name of the sender by which notifications, replies and digests of the form leave: one that the operator offers to its owner; null for the usual one.',
    details: 'mail.md#several-senders',
    example: null,
  },
  address: {
    kind: orNull(formAddress),
    label: 'Address',
    hint: 'A name for links and forms in place of the identifier, such as summer-party. The last three go on working.',
    description:
      'Name by which visitors reach the form, beside its identifier: `/s/{address}` and `/f/{address}`. 3 to 60 of `a-z`, `0-9` and single ' +
      '`-` between them; null for none. It must not be that of another form, now or within the last 365 days. The last three go on working.',
    details: 'collecting.md#address',
    // What is tried out of an example must not take a name.
    example: null,
  },
  quietDays: {
    kind: orNull(integer({ min: 1, max: maxQuietDays })),
    label: 'Tell of a silence of',
    unit: 'days',
    hint: `From 1 to ${maxQuietDays}. If nothing comes for so long, although at least five submissions came before, the addresses get one email. Leave empty for none.`,
    description:
      `Days without a submission after which the addresses in \`notify\` get one email, 1 to ${maxQuietDays}; null for never. At least five ` +
      'submissions must have come before. There is no second email before another submission has come.',
    details: 'email-notifications.md#silence',
    example: 14,
  },
  confirm: {
    kind: confirm,
    label: 'Confirmation of the address',
    hint: 'A field of the form that is for an email address, and required.',
    description:
      'How visitors confirm their address, or null. What they send is held, tells no one and counts nowhere, until someone opens the link ' +
      'in the email to the address in the field `field`, which is a required one of the type `email` in `fields`. It is deleted after ' +
      '`days`. In `text`, `{link}` stands for the link, which stands at the end if it is absent; the placeholders of `reply` work as well, ' +
      'and its limits hold for both together. On a server without `FORMBOX_MAIL_URL` and `FORMBOX_MAIL_FROM`, it must be null.',
    details: 'confirm.md',
    // What is tried out of the sample works on every server.
    example: null,
    withoutMail: 'null',
  },
}

const unicode = 'NUL and unpaired surrogates are refused.'

type Own = Pick<Form, 'title' | 'description' | 'returnUrl'>

/** The members of a form besides its settings. */
export const ownFields: { readonly [Name in keyof Own]: Setting<Own[Name]> } = {
  title: {
    kind: text({ minLength: 1, maxLength: 255 }),
    label: 'Title',
    hint: 'Visitors see it on the built-in thank-you page.',
    description: `Name of the form. Must not be only white space. ${unicode}`,
    example: 'Contact',
  },
  description: {
    kind: textOrNull({ maxLength: 1000 }, 'lines'),
    label: 'Description',
    hint: 'Visitors don’t see it.',
    description: `What the form is for. ${unicode}`,
    example: 'The form on the start page',
  },
  returnUrl: {
    kind: orNull(httpUrl(returnUrlRule)),
    label: 'Return address',
    hint: 'Where visitors go after sending. Leave empty for the built-in thank-you page.',
    description:
      'Where browsers are sent after a submission: an absolute http or https URL, valid by the WHATWG URL standard, ' +
      'without control characters',
    example: 'https://example.com/thanks',
  },
}

/** For a loop over all of them, which does not know the types. */
export const settingOf = (name: SettingName): Setting<unknown> => settings[name] as Setting<unknown>

import { type TSchema, Type } from '@sinclair/typebox'
import { closedTextRule, maxMaxSubmissions } from '../forms/opening.ts'
import { maxOrigins } from '../forms/origins.ts'
import {
  defaultSettings,
  type FormSettings,
  maxAddresses,
  maxColumns,
  maxFileTypes,
  maxMaxFileBytes,
  maxMaxFiles,
  maxMaxLinks,
  maxRetentionDays,
  maxSpamDays,
  maxSubmitLimit,
  maxTermCharacters,
  maxTerms,
  termRule,
  thankYouRule,
} from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import { readErrors, SuccessSchema, writeErrors } from './answer-schemas.ts'
import { jsonBody } from './json-body.ts'
import { readOperation, writeOperation } from './operation.ts'
import { FieldNames, NotifyEntries, NullableInteger, Reply } from './schema-types.ts'
import { AllowedOrigin, FileType, HoneypotName, NullableMoment, NullableText, Text, TimeZone } from './text-types.ts'

const tags = ['Settings']

export const formSettingsOperations = (store: FormStore) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/settings',
    operationId: 'getFormSettings',
    tags,
    summary: 'Get the settings of a form',
    description: 'Returns every setting. A setting that was never changed has its default.',
    answer: FormSettingsSchema,
    errors: readErrors,
    handle: ({ caller, params }) => JSON.stringify(store.findFormSettings(caller.userId, params.formId)),
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/:formId/settings',
    operationId: 'updateFormSettings',
    tags,
    summary: 'Update the settings of a form',
    description: 'A setting that is absent keeps its value. The `updatedAt` of the form does not change.',
    body: jsonBody(SettingsChangesSchema),
    answer: SuccessSchema,
    errors: writeErrors,
    handle: ({ caller, params, body }) => store.updateFormSettings(caller.userId, params.formId, body),
  }),
]

/** Every setting of a form. */
export const fields = {
  open: Type.Boolean({
    preset: defaultSettings.open,
    description: 'Whether the form takes submissions. A closed form answers `POST /s/{formId}` with 403.',
    example: true,
    error: 'must be true or false',
  }),
  opensAt: NullableMoment({
    preset: defaultSettings.opensAt,
    description:
      'From when on the form takes submissions; null for any time. Before, it answers 403. Stored in UTC, without a part ' +
      'of a second.',
    example: null,
  }),
  closesAt: NullableMoment({
    preset: defaultSettings.closesAt,
    description:
      'From when on the form takes no submissions and answers 403; null for never. Later than `opensAt`. Stored in UTC, ' +
      'without a part of a second.',
    example: '2100-12-31T23:00:00.000Z',
  }),
  maxSubmissions: NullableInteger({
    minimum: 1,
    maximum: maxMaxSubmissions,
    preset: defaultSettings.maxSubmissions,
    description:
      'Number of submissions with which the form is full and answers 403; null for never. It is exact. Spam does not count. ' +
      'Deleting submissions, or marking them as spam, makes room again.',
    // What is tried out of the sample must not close a form.
    example: null,
  }),
  closedText: NullableText({
    ...closedTextRule,
    preset: defaultSettings.closedText,
    description:
      'Text that visitors read while the form takes no submissions: on the page for browsers, and in `issues` for others. ' +
      'Line breaks are kept. Null for the default text.',
    example: 'Registration is over. Write to us if you would like to come.',
  }),
  allowedOrigins: Type.Array(AllowedOrigin(), {
    maxItems: maxOrigins,
    preset: defaultSettings.allowedOrigins,
    description:
      'Origins whose pages may send to the form; an empty list allows all. `https://*.example.com` stands for one level ' +
      'below. They are stored as browsers write them: in lower case, in Punycode, without the default port. A submission ' +
      'from another origin, or without one, gets 403.',
    example: [],
    error: `must be an array of at most ${maxOrigins} origins`,
  }),
  acceptFiles: Type.Boolean({
    preset: defaultSettings.acceptFiles,
    description:
      'Whether a submission may have files. If not, `POST /s/{formId}` answers 400 to a submission with a file.',
    example: true,
    error: 'must be true or false',
  }),
  fileTypes: Type.Array(FileType(), {
    maxItems: maxFileTypes,
    preset: defaultSettings.fileTypes,
    description:
      'Kinds of files that a submission may have: media types, extensions, and `image/*`, `audio/*` and the like; an empty ' +
      'list allows all. A file fits an entry if its name or its declared type does, and its first bytes do not contradict: ' +
      'a program called `cv.pdf` is no `application/pdf`. They are stored in lower case. `POST /s/{formId}` answers 400 to ' +
      'a submission with any other file.',
    example: ['image/*', 'application/pdf', '.docx'],
    error: `must be an array of at most ${maxFileTypes} kinds of files`,
  }),
  maxFiles: NullableInteger({
    minimum: 1,
    maximum: maxMaxFiles,
    preset: defaultSettings.maxFiles,
    description: `Files that one submission may have; null for ${maxMaxFiles}. More get 400.`,
    example: 3,
  }),
  maxFileBytes: NullableInteger({
    minimum: 1,
    maximum: maxMaxFileBytes,
    preset: defaultSettings.maxFileBytes,
    description:
      'Bytes of one file; a larger one gets 413. At most the limit of the server, `FORMBOX_FILE_LIMIT`, which null stands ' +
      'for. If that is lowered later, the lower one counts.',
    example: 5_242_880,
  }),
  columns: FieldNames({
    maxItems: maxColumns,
    preset: defaultSettings.columns,
    description:
      'Names of the fields that the page with the list of submissions shows; null for the first four fields of the form.',
    example: ['name', 'email'],
  }),
  thankYou: NullableText({
    ...thankYouRule,
    preset: defaultSettings.thankYou,
    description:
      'Text of the page that a browser shows after sending if the form has no `returnUrl`. Line breaks are kept. Null for ' +
      'the default text.',
    example: 'Thank you! We answer within two working days.',
  }),
  notify: NotifyEntries({
    maxItems: maxAddresses,
    preset: defaultSettings.notify,
    description:
      'E-mail addresses that are told about each submission. An address in an object with `digest` set to `day` gets one ' +
      'mail a day instead, at 07:00 in the time zone of `digestZone`, and none on a day without submissions. ' +
      'No two may differ only in case. A domain with letters ' +
      'other than ASCII is stored in Punycode. On a server without ' +
      '`FORMBOX_SMTP_URL` and `FORMBOX_MAIL_FROM`, the list must be empty. A new address that is not your own gets a ' +
      'mail that says so, at most one a day. You can add 50 of them within 24 hours; an issue says when the next one ' +
      'can be added. Addresses whose readers have stopped all mails of this server are refused.',
    example: [],
  }),
  digestZone: TimeZone({
    preset: defaultSettings.digestZone,
    description:
      'Time zone of the IANA database, such as `Europe/Berlin`: daily mails to `notify` are sent at 07:00 there. What is ' +
      'gathered already comes at 07:00 in the new zone.',
    example: 'UTC',
  }),
  attachFiles: Type.Boolean({
    preset: defaultSettings.attachFiles,
    description:
      'Whether mails to `notify` have the files of the submission attached, if they have at most 7 MiB together. Otherwise, ' +
      'mails only list them.',
    example: false,
    error: 'must be true or false',
  }),
  reply: Reply({
    description:
      'The mail that answers a visitor, or null, which is the default. It goes to the address in the field `field`, if that is one valid address; ' +
      'never for spam, imports and repeats, nor to an address in `notify`. In `subject` and `text`, `{name}` stands for ' +
      'the field of this name, `{title}` for the title of the form, and `{reference}` for the first 8 characters of the ' +
      'submission’s `id`. Of a visitor’s values, only short ones appear: at most 60 characters in one line, without a link, ' +
      '`@` or `www.`. With `copy`, what was sent is added; that needs `challenge` and `allowedOrigins`. A form gives an ' +
      'address one answer within 24 hours, and 30 answers within an hour and 300 within 24 hours in all; all forms of the ' +
      'server give an address three. All forms of a user give 60 within an hour and 300 within 24 hours, or 30 while the ' +
      'account is younger than a day. Others are in the list of deliveries, as `skipped`. On a server without ' +
      '`FORMBOX_SMTP_URL` and `FORMBOX_MAIL_FROM`, it must be null.',
    // What is tried out of the sample works on every server.
    example: null,
  }),
  honeypot: HoneypotName({
    preset: defaultSettings.honeypot,
    description:
      'Name of the trap field, which people do not see and robots fill in. A submission that fills it in is spam. The ' +
      'field is not part of the data. In JSON, only the outermost names count.',
    example: '_gotcha',
  }),
  challenge: Type.Boolean({
    preset: defaultSettings.challenge,
    description:
      'Whether a submission must carry a proof of work: a challenge from `GET /s/{formId}/challenge` with its solution, in ' +
      'the field `_challenge`. Otherwise `POST /s/{formId}` answers 400. The snippet of the form has a script that does it.',
    example: false,
    error: 'must be true or false',
  }),
  blockedTerms: Type.Array(Text(termRule), {
    maxItems: maxTerms,
    preset: defaultSettings.blockedTerms,
    description:
      'A submission that contains one of these texts in any field, in upper or lower case, is spam. At most ' +
      `${maxTermCharacters} characters in all.`,
    example: ['casino'],
    error: `must be an array of at most ${maxTerms} texts`,
  }),
  maxLinks: NullableInteger({
    minimum: 0,
    maximum: maxMaxLinks,
    preset: defaultSettings.maxLinks,
    description: 'A submission with more links than this in all fields together is spam; null for any number.',
    example: 3,
  }),
  spamDays: Type.Integer({
    minimum: 1,
    maximum: maxSpamDays,
    preset: defaultSettings.spamDays,
    description: 'Days after which spam is deleted. For a submission that was marked as spam, they begin then.',
    example: 30,
    error: `must be a whole number from 1 to ${maxSpamDays}`,
  }),
  retentionDays: NullableInteger({
    minimum: 1,
    maximum: maxRetentionDays,
    preset: defaultSettings.retentionDays,
    description:
      'Days after which submissions are deleted, with their files; null for never. Submissions that are already older ' +
      'when it is set, or when they are imported, are deleted within about an hour.',
    // What is tried out of the sample must not delete anything.
    example: null,
  }),
  submitLimit: NullableInteger({
    minimum: 1,
    maximum: maxSubmitLimit,
    preset: defaultSettings.submitLimit,
    description:
      'Submissions a minute from one client address (with IPv6, from one /64 network); more get 429. At most the limit of ' +
      'the server, `FORMBOX_SUBMIT_LIMIT`, which null stands for.',
    example: 10,
  }),
} satisfies Record<keyof FormSettings, TSchema>

export const FormSettingsSchema = Type.Object(fields)

/** Without defaults: a generated client would send them, and reset what it does not name. */
const changes = Object.fromEntries(
  Object.entries(fields).map(([name, { preset, ...field }]) => [name, field]),
) as typeof fields

/** A setting that is absent keeps its value. Other fields are ignored. */
export const SettingsChangesSchema = Type.Partial(Type.Object(changes))

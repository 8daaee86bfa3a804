import { type TSchema, Type } from '@sinclair/typebox'
import { maxOrigins } from '../forms/allowed-origins.ts'
import {
  defaultSettings,
  type FormSettings,
  maxAddresses,
  maxColumns,
  maxMaxLinks,
  maxRetentionDays,
  maxSpamDays,
  maxSubmitLimit,
  maxTerms,
  termRule,
  thankYouRule,
} from '../forms/settings.ts'
import {
  AllowedOrigin,
  FieldNames,
  HoneypotName,
  MailAddresses,
  NullableInteger,
  NullableText,
  Text,
} from './schema-types.ts'

/** Every setting of a form. */
const fields = {
  open: Type.Boolean({
    preset: defaultSettings.open,
    description: 'Whether the form takes submissions. A closed form answers `POST /s/{formId}` with 403.',
    example: true,
    error: 'must be true or false',
  }),
  allowedOrigins: Type.Array(AllowedOrigin(), {
    maxItems: maxOrigins,
    preset: defaultSettings.allowedOrigins,
    description:
      'Origins whose pages may send to the form; none for all. `https://*.example.com` stands for one level below. They are ' +
      'stored as browsers write them: in lower case, in Punycode, without the usual port. What is sent from elsewhere, or ' +
      'says not from where, gets 403.',
    example: [],
    error: `must be an array of at most ${maxOrigins} origins`,
  }),
  acceptFiles: Type.Boolean({
    preset: defaultSettings.acceptFiles,
    description: 'Whether a submission may have files. Otherwise `POST /s/{formId}` answers one that has with 400.',
    example: true,
    error: 'must be true or false',
  }),
  columns: FieldNames({
    maxItems: maxColumns,
    preset: defaultSettings.columns,
    description:
      'Names of the fields that the page with the list of submissions shows; null for the first fields of the form.',
    example: ['name', 'email'],
  }),
  thankYou: NullableText({
    ...thankYouRule,
    preset: defaultSettings.thankYou,
    description:
      'Text of the page that a browser shows after sending if the form has no `returnUrl`. Line breaks are kept. Null for ' +
      'the usual text.',
    example: 'Thank you! We answer within two working days.',
  }),
  notify: MailAddresses({
    maxItems: maxAddresses,
    preset: defaultSettings.notify,
    description:
      'E-mail addresses that are told of each submission. No two may be the same in another case. On a server without ' +
      '`FORMBOX_SMTP_URL` and `FORMBOX_MAIL_FROM`, it must be empty.',
    example: [],
  }),
  honeypot: HoneypotName({
    preset: defaultSettings.honeypot,
    description:
      'Name of the trap field, which people do not see and robots fill in: a submission that does is spam. The field is not ' +
      'part of the data. Of JSON, only the outermost names count.',
    example: '_gotcha',
  }),
  challenge: Type.Boolean({
    preset: defaultSettings.challenge,
    description:
      'Whether a submission must come with a proof of work: a challenge of `GET /s/{formId}/challenge` with its solution, in ' +
      'the field `_challenge`. Otherwise `POST /s/{formId}` answers 400. The snippet of the form has a script that does it.',
    example: false,
    error: 'must be true or false',
  }),
  blockedTerms: Type.Array(Text(termRule), {
    maxItems: maxTerms,
    preset: defaultSettings.blockedTerms,
    description: 'Texts that only spam contains, in any case, in any field: a submission with one of them is spam.',
    example: ['casino'],
    error: `must be an array of at most ${maxTerms} texts`,
  }),
  maxLinks: NullableInteger({
    minimum: 0,
    maximum: maxMaxLinks,
    preset: defaultSettings.maxLinks,
    description: 'A submission with more links in all fields together is spam; null for any number.',
    example: 3,
  }),
  spamDays: Type.Integer({
    minimum: 1,
    maximum: maxSpamDays,
    preset: defaultSettings.spamDays,
    description: 'After how many days spam is deleted. What was marked as spam counts from then on.',
    example: 30,
    error: `must be a whole number from 1 to ${maxSpamDays}`,
  }),
  retentionDays: NullableInteger({
    minimum: 1,
    maximum: maxRetentionDays,
    preset: defaultSettings.retentionDays,
    description:
      'After how many days submissions are deleted, with their files; null for never. Those that are older when it is ' +
      'set, or when they are imported, are deleted within about an hour.',
    // What is tried out of the sample must not delete anything.
    example: null,
  }),
  submitLimit: NullableInteger({
    minimum: 1,
    maximum: maxSubmitLimit,
    preset: defaultSettings.submitLimit,
    description:
      'Submissions a minute from one client address (with IPv6, from one /64 network); more get 429. At most what the ' +
      'server allows with `FORMBOX_SUBMIT_LIMIT`; null for as many as that.',
    example: 10,
  }),
} satisfies Record<keyof FormSettings, TSchema>

export const FormSettingsSchema = Type.Object(fields)

/** Without defaults: a generated client would send them, and reset what it does not name. */
const changes = Object.fromEntries(
  Object.entries(fields).map(([name, { preset, ...field }]) => [name, field]),
) as typeof fields

/** A setting that is absent keeps its value. Other fields are ignored. */
export const SettingsChangesSchema = Type.Partial(Type.Object(changes), { additionalProperties: true })

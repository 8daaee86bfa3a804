import { type AppError, invalid } from '../errors.ts'
import { isText, type TextRule, textInWords } from '../text-rules.ts'
import { takenNames } from './control-fields.ts'
import { areFieldNames } from './field-names.ts'
import type { NotifyEntry } from './notify-entries.ts'
import type { Form } from './ownership.ts'
import { parseOnce } from './parse-once.ts'

/**
 * The settings of a form that its owner may change besides the form's own fields. To add one, add it here with its default, and its schema in
 * api/form-settings.ts. Whatever uses it calls `parseSettings` with the form's column.
 */
export interface FormSettings {
  /** Whether the form takes submissions, at times and in numbers that the next settings allow (see opening.ts). */
  readonly open: boolean
  /** From when on it takes submissions, as `toMoment` writes it; null for any time. */
  readonly opensAt: string | null
  /** From when on it takes none; null for never. */
  readonly closesAt: string | null
  /** With how many submissions it is full; null for never. */
  readonly maxSubmissions: number | null
  /** Text for visitors while it takes none; null for the usual one. */
  readonly closedText: string | null
  /** Origins whose pages may send, as `toAllowedOrigin` writes them; none for all. */
  readonly allowedOrigins: readonly string[]
  /** Whether a submission may have files. */
  readonly acceptFiles: boolean
  /** Kinds of files that it may have, as `toFileType` writes them; none for all. */
  readonly fileTypes: readonly string[]
  /** Files in one submission; null for as many as the server takes. */
  readonly maxFiles: number | null
  /** Bytes of one file; null for as many as the operator allows. */
  readonly maxFileBytes: number | null
  /** Names of the fields that the list of submissions shows; null for the first ones. */
  readonly columns: readonly string[] | null
  /** Text of the built-in thank-you page; null for the usual one. */
  readonly thankYou: string | null
  /** E-mail addresses that get mails about submissions. */
  readonly notify: readonly NotifyEntry[]
  /** Time zone in which daily digests are sent at seven in the morning, as `toTimeZone` writes it. */
  readonly digestZone: string
  /** Whether such a mail has the files attached, as long as they are small. */
  readonly attachFiles: boolean
  /** The mail that answers a visitor; null for none. */
  readonly reply: ReplySettings | null
  /** Name of the field that people do not see, so that only robots fill it in. */
  readonly honeypot: string
  /** Whether a submission must come with a proof of work. */
  readonly challenge: boolean
  /** A submission that contains one of these texts, in any case, is spam. */
  readonly blockedTerms: readonly string[]
  /** A submission with more links in all fields is spam; null for any number. */
  readonly maxLinks: number | null
  /** After how many days spam is deleted. */
  readonly spamDays: number
  /** After how many days submissions are deleted; null for never. */
  readonly retentionDays: number | null
  /** Submissions a minute from one client address; null for as many as the operator allows. */
  readonly submitLimit: number | null
}

/** The mail that answers a visitor. Its texts may have placeholders (see mail/reply.ts). */
export interface ReplySettings {
  /** Name of the field with the visitor's address. */
  readonly field: string
  readonly subject: string
  readonly text: string
  /** Whether it has what was sent. */
  readonly copy: boolean
}

/** An absent or undefined setting keeps its value. */
export type SettingsChanges = { readonly [Name in keyof FormSettings]?: FormSettings[Name] | undefined }

export const maxFileTypes = 20
export const fileTypeRule: TextRule = { minLength: 2, maxLength: 100 }
export const fileTypeInWords = 'an extension such as .docx, a media type such as application/pdf, or image/*'
/** Files that one submission may have. */
export const maxMaxFiles = 20
/** The most that an operator may allow for a file. */
export const maxMaxFileBytes = 100 * 1024 * 1024

/** An extension, a media type or `image/*`, in lower case. Null if it is none. */
export const toFileType = (text: string): string | null => {
  const fileType = text.toLowerCase()
  return isText(fileTypeRule, text) && fileTypePattern.test(fileType) ? fileType : null
}

/** RFC 6838 section 4.2 has these characters. None of them separates entries, or ends an attribute in HTML. */
const fileTypePattern = /^(?:\.[a-z0-9][a-z0-9._+-]*|[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*))$/

export const maxColumns = 8
export const thankYouRule: TextRule = { minLength: 1, maxLength: 1000 }

export const maxAddresses = 10
export const replySubjectRule: TextRule = { minLength: 1, maxLength: 200 }
export const replyTextRule: TextRule = { minLength: 1, maxLength: 5000 }

export const honeypotRule: TextRule = { minLength: 1, maxLength: 64 }

/** Whether the trap field of a form may have this name. */
export const isHoneypot = (name: string): boolean => isText(honeypotRule, name) && !takenNames.includes(name)

export const honeypotInWords = `${textInWords(honeypotRule)}, and none of ${takenNames.join(', ')}`

export const maxTerms = 200
export const termRule: TextRule = { minLength: 2, maxLength: 100 }
/** Characters of all terms of a form. Looking for them takes memory for each. */
export const maxTermCharacters = 4000
export const maxMaxLinks = 1000
export const maxSpamDays = 365
export const maxRetentionDays = 3650
export const maxSubmitLimit = 1_000_000

/** Whether it can be the setting, once `copy` has its default. */
export const isReply = (value: unknown): value is ReplySettings => {
  if (typeof value !== 'object' || value === null) return false
  const { field, subject, text, copy = false } = value as Partial<Record<keyof ReplySettings, unknown>>
  return (
    isReplyField(field) &&
    typeof subject === 'string' &&
    isText(replySubjectRule, subject) &&
    !/[\n\r]/.test(subject) &&
    typeof text === 'string' &&
    isText(replyTextRule, text) &&
    typeof copy === 'boolean'
  )
}

const isReplyField = (name: unknown): name is string => typeof name === 'string' && name !== '' && areFieldNames([name])

export const replyInWords =
  'an object with `field` (the name of a field), `subject` (1 to 200 characters in one line), `text` (1 to 5000 ' +
  'characters) and, if you like, `copy` (true or false)'

/** Somebody is to get e-mails, but the server has nowhere to send them. */
export const noMailServer = (field: 'notify' | 'reply' = 'notify'): AppError =>
  invalid({
    field,
    message: `must be ${field === 'notify' ? 'empty' : 'null'}: this server sends no e-mail, because FORMBOX_URL, FORMBOX_SMTP_URL and FORMBOX_MAIL_FROM are not set`,
    path: `/${field}`,
  })

/**
 * A copy of what was sent goes to an address that anybody may have typed. So whoever sends has to show a proof of work, and
 * to come from a page of the owner.
 *
 * @param changes what the error names
 * @throws AppError `invalid`
 */
export const refuseOpenCopy = ({ reply, challenge, allowedOrigins }: FormSettings, changes: SettingsChanges): void => {
  if (!reply?.copy || (challenge && allowedOrigins.length > 0)) return
  if (changes.reply)
    throw invalid({
      field: 'reply',
      message: 'must not have a copy unless `challenge` is on and `allowedOrigins` names pages that may send',
      path: '/reply/copy',
    })
  const field = challenge ? 'allowedOrigins' : 'challenge'
  const message = `must ${challenge ? 'not be empty' : 'be true'} while \`reply\` sends visitors a copy`
  throw invalid({ field, message, path: `/${field}` })
}

/** @throws AppError `invalid` */
export const refuseLongTerms = (terms: readonly string[]): void => {
  const characters = [...terms.join('')].length
  if (characters <= maxTermCharacters) return
  throw invalid({
    field: 'blockedTerms',
    message: `must be at most ${maxTermCharacters} characters in all; got ${characters}`,
    path: '/blockedTerms',
  })
}

/** A form's own limit is above the operator's. */
export const aboveSubmitLimit = (most: number): AppError =>
  invalid({
    field: 'submitLimit',
    message: `must be at most ${most}, which is what this server allows (FORMBOX_SUBMIT_LIMIT)`,
    path: '/submitLimit',
  })

/** A form's own size of files is above the operator's. */
export const aboveFileLimit = (most: number): AppError =>
  invalid({
    field: 'maxFileBytes',
    message: `must be at most ${most}, which is what this server allows (FORMBOX_FILE_LIMIT)`,
    path: '/maxFileBytes',
  })

export const defaultSettings: FormSettings = {
  open: true,
  opensAt: null,
  closesAt: null,
  maxSubmissions: null,
  closedText: null,
  allowedOrigins: [],
  acceptFiles: true,
  fileTypes: [],
  maxFiles: null,
  maxFileBytes: null,
  columns: null,
  thankYou: null,
  notify: [],
  digestZone: 'UTC',
  attachFiles: false,
  reply: null,
  honeypot: '_gotcha',
  challenge: false,
  blockedTerms: [],
  maxLinks: null,
  spamDays: 30,
  retentionDays: null,
  submitLimit: null,
}

/** All settings of a form. @param stored the form's column */
export const parseSettings = (stored: string | null): FormSettings =>
  stored === null ? defaultSettings : parseStored(stored)

const parseStored = parseOnce((stored): FormSettings => ({ ...defaultSettings, ...JSON.parse(stored) }))

/**
 * Submissions a minute that the form takes from one client address; 0 for any number.
 *
 * @param most what the operator allows, which may be less than when the setting was stored; 0 for any number
 */
export const submitLimitOf = ({ settings }: Pick<Form, 'settings'>, most: number): number => {
  const { submitLimit } = parseSettings(settings)
  if (submitLimit === null) return most
  return most === 0 ? submitLimit : Math.min(submitLimit, most)
}

/** The settings among the members of an object. */
export const pickSettings = (values: SettingsChanges): SettingsChanges =>
  Object.fromEntries(settingNames.map((name) => [name, values[name]]))

/** The column after a change: JSON of what differs from the defaults, or null. */
export const changeSettings = (stored: string | null, changes: SettingsChanges): string | null => {
  const before = parseSettings(stored)
  const changed = settingNames
    .map((name) => [name, changes[name] === undefined ? before[name] : changes[name]] as const)
    .filter(([name, value]) => !Bun.deepEquals(value, defaultSettings[name]))
  return changed.length === 0 ? null : JSON.stringify(Object.fromEntries(changed))
}

/** The names of the settings that differ between two columns. */
export const changedNames = (stored: string | null, changed: string | null): readonly string[] => {
  const [before, after] = [parseSettings(stored), parseSettings(changed)]
  return settingNames.filter((name) => !Bun.deepEquals(before[name], after[name]))
}

const settingNames = Object.keys(defaultSettings) as (keyof FormSettings)[]

import { parseOnce } from '../../base/parse-once.ts'
import type { TextRule } from '../../base/text-rules.ts'
import { visible } from '../../base/visible.ts'
import type { Language } from '../../languages/languages.ts'
import type { FormField } from '../fields/form-field.ts'
import type { Form } from '../form.ts'
import type { NotifyEntry, SentEntry } from './notify-entries.ts'

/**
 * The settings of a form that its owner may change besides the form's own fields, with their defaults. What each may be, and
 * how it is asked for, is in settings/declared.ts, which no command may load; what they must not be together, in
 * settings/together-rules.ts. docs/architecture.md says how to add one. Code that uses it calls `parseSettings` with the
 * form's column. Stored texts and hashes follow their order: none may move.
 */
export const defaultSettings = {
  /** Whether the form takes submissions, at times and in numbers that the next settings allow (see opening.ts). */
  open: true as boolean,
  /** From when on it takes submissions, as `toMoment` writes it; null for any time. */
  opensAt: null as string | null,
  /** From when on it takes none; null for never. */
  closesAt: null as string | null,
  /** With how many submissions it is full; null for never. */
  maxSubmissions: null as number | null,
  /** Text for visitors while it takes none; null for the usual one. */
  closedText: null as string | null,
  /** Origins whose pages may send, as `toAllowedOrigin` writes them; none for all. */
  allowedOrigins: [] as readonly string[],
  /** Whether a submission may have files. */
  acceptFiles: true as boolean,
  /** Kinds of files that it may have, in lower case; none for all. */
  fileTypes: [] as readonly string[],
  /** Files in one submission; null for as many as the server takes. */
  maxFiles: null as number | null,
  /** Bytes of one file; null for as many as the operator allows. */
  maxFileBytes: null as number | null,
  /** Names of the fields that the list of submissions shows; null for the first ones. */
  columns: null as readonly string[] | null,
  /** Text of the built-in thank-you page; null for the usual one. */
  thankYou: null as string | null,
  /** E-mail addresses that get mails about submissions. */
  notify: [] as readonly NotifyEntry[],
  /** Time zone of the times in mails, and of `digestClock`, as `toTimeZone` writes it. */
  timeZone: 'UTC',
  /** Whether such a mail has the files attached, as long as they are small. */
  attachFiles: false as boolean,
  /** The automatic reply; null for none. */
  reply: null as ReplySettings | null,
  /** Name of the field that people do not see, so that only robots fill it in. */
  honeypot: '_gotcha',
  /** Whether a submission must come with a proof of work. */
  challenge: false as boolean,
  /** A submission that contains one of these texts, in any case, is spam. */
  blockedTerms: [] as readonly string[],
  /** A submission with more links in all fields is spam; null for any number. */
  maxLinks: null as number | null,
  /** After how many days spam is deleted. */
  spamDays: 30,
  /** After how many days submissions are deleted; null for never. */
  retentionDays: null as number | null,
  /** Submissions a minute from one client address; null for as many as the operator allows. */
  submitLimit: null as number | null,
  /** The fields and rules for a submission, in the order of the form; none for no rules. */
  fields: [] as readonly FormField[],
  /** Whether a field that is not among these, if there are any, is kept or refuses the submission. */
  otherFields: 'keep' as 'keep' | 'refuse',
  /** Language in which visitors are answered; null for their own. */
  language: null as Language | null,
  /** Whether a submission that is like those that were marked as spam, and unlike the inbox, is spam. */
  learnSpam: false as boolean,
  /** The page of Formbox with the form; null for none. */
  page: null as PageSettings | null,
  /** Under which heading its owner and members list it; null for none. No one gets a right by it. */
  group: null as string | null,
  /** The name by which visitors reach it, beside its identifier; null for none (see forms/address-writes.ts). */
  address: null as string | null,
  /** Name of the operator's sender by which mails of the form leave; null for the usual one. */
  sender: null as string | null,
  /** After how many days without a submission the addresses in `notify` are told; null for never. */
  quietDays: null as number | null,
  /** How visitors confirm their address before what they sent counts; null if they need not. */
  confirm: null as ConfirmSettings | null,
}

export type FormSettings = Readonly<typeof defaultSettings>
export type SettingName = keyof FormSettings

export const settingNames = Object.keys(defaultSettings) as SettingName[]

/** The automatic reply. Its texts may have placeholders (see sending/mail/reply.ts). */
export interface ReplySettings {
  /** Name of the field with the visitor's address. */
  readonly field: string
  readonly subject: string
  readonly text: string
  /** Whether it has what was sent. */
  readonly copy: boolean
}

/** The mail with the link that confirms an address. Its texts may have the placeholders of a reply. */
export interface ConfirmSettings {
  /** Name of the field with the visitor's address. */
  readonly field: string
  readonly subject: string
  /** Has the placeholder `{link}`, or the link stands at its end. */
  readonly text: string
  /** For how many days a submission waits. */
  readonly days: number
}

/** The page of Formbox with the form. */
export interface PageSettings {
  /** Null for that of the form. */
  readonly title: string | null
  /** Text above the form. */
  readonly text: string | null
  /** Text of the button; null for the usual one. */
  readonly button: string | null
  /** Whether pages that may send to the form may frame this one. */
  readonly frame: boolean
}

/** As a client may send it: without `days`, it is the usual number. */
type SentConfirm = Omit<ConfirmSettings, 'days'> & { readonly days?: number | undefined }

/** An absent or undefined setting keeps its value. */
export type SettingsChanges = { readonly [Name in SettingName]?: FormSettings[Name] | undefined }

/** The value of a setting that a client may send. */
export type SentSetting<Name extends SettingName> = Name extends 'notify'
  ? readonly SentEntry[]
  : Name extends 'page'
    ? Partial<PageSettings> | null
    : Name extends 'confirm'
      ? SentConfirm | null
      : FormSettings[Name]
export type SentSettings = { readonly [Name in SettingName]?: SentSetting<Name> | undefined }

// Bounds that others need as well.

/** Files that one submission may have. */
export const maxMaxFiles = 20
/** Kinds of files in a list of them. */
export const maxFileTypes = 20
export const maxColumns = 8
export const maxAddresses = 10
export const termRule: TextRule = { minLength: 2, maxLength: 100 }
export const returnUrlRule: TextRule = { maxLength: 2048 }

/** All settings of a form. @param stored the form's column */
export const parseSettings = (stored: string | null): FormSettings =>
  stored === null ? defaultSettings : parseStored(stored)

/** What visitors read as the title of a form: that of its page, where it has one of its own. All of it can be seen. */
export const titleForVisitors = ({ title, settings }: { readonly title: string; readonly settings: string | null }) =>
  visible(parseSettings(settings).page?.title ?? title)

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

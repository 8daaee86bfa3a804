import { nextSevenAt, toTimeZone } from '../time-zone.ts'
import { type SentEntry, toStoredEntry } from './notify-entries.ts'
import { toMoment } from './opening.ts'
import { toAllowedOrigin } from './origins.ts'
import {
  aboveFileLimit,
  aboveSubmitLimit,
  type FormSettings,
  noMailServer,
  pickSettings,
  type ReplySettings,
  refuseLongTerms,
  type SettingsChanges,
  toFileType,
} from './settings.ts'

/** Settings as they were sent. */
export type SentSettings = Omit<SettingsChanges, 'notify'> & { readonly notify?: readonly SentEntry[] | undefined }

/** What the operator allows. */
export interface FormLimits {
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Submissions a minute from one address; 0 for any number. */
  readonly submitLimit: number
  /** Bytes of one file. */
  readonly fileLimitBytes: number
}

/**
 * Refuses what this server cannot do, or its operator does not allow.
 *
 * @param stored returns the settings of the form now. What was stored before a limit was lowered may be sent back as it was read.
 * @throws AppError `invalid`
 */
export const refuseBeyondServer = (
  { notify, reply, submitLimit, maxFileBytes }: SentSettings,
  limits: FormLimits,
  stored: () => FormSettings | undefined,
): void => {
  if (notify && notify.length > 0 && !limits.canMail) throw noMailServer()
  if (reply && !limits.canMail) throw noMailServer('reply')
  if (submitLimit && limits.submitLimit !== 0 && submitLimit > limits.submitLimit)
    if (stored()?.submitLimit !== submitLimit) throw aboveSubmitLimit(limits.submitLimit)
  if (maxFileBytes && maxFileBytes > limits.fileLimitBytes)
    if (stored()?.maxFileBytes !== maxFileBytes) throw aboveFileLimit(limits.fileLimitBytes)
}

/**
 * The settings as they are stored. That each is valid is checked before.
 *
 * @throws AppError `invalid`
 */
export const toStoredSettings = (values: SentSettings): SettingsChanges => {
  const { allowedOrigins, blockedTerms, closesAt, digestZone, fileTypes, notify, opensAt, reply } = values
  if (blockedTerms) refuseLongTerms(blockedTerms)
  return pickSettings({
    ...values,
    notify: notify?.map(toStoredEntry),
    ...(opensAt && { opensAt: toMoment(opensAt) }),
    ...(closesAt && { closesAt: toMoment(closesAt) }),
    ...(fileTypes && { fileTypes: toFileTypes(fileTypes) }),
    ...(allowedOrigins && { allowedOrigins: toOrigins(allowedOrigins) }),
    ...(digestZone !== undefined && { digestZone: toTimeZone(digestZone) ?? digestZone }),
    ...(reply && { reply: toReply(reply) }),
  })
}

/** The time of a change, and when digests are due in a time zone that is set. */
export const timesOf = (
  { digestZone }: SettingsChanges,
  at: number,
): { readonly now: number; readonly digestAt?: number } => ({
  now: at,
  ...(digestZone !== undefined && { digestAt: nextSevenAt(digestZone, at) }),
})

/** Each as browsers write it, once. */
const toOrigins = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.map((text) => toAllowedOrigin(text) ?? text)),
]

/** Without other members that a client sent. */
const toReply = ({ field, subject, text, copy = false }: ReplySettings): ReplySettings => ({
  field,
  subject,
  text,
  copy,
})

/** Each in lower case, once. */
const toFileTypes = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.map((text) => toFileType(text) ?? text)),
]

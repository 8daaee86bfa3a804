import { type AppError, invalid } from '../errors.ts'
import { toMailAddress } from '../mail-address.ts'
import { conditionRule, isCondition } from '../outbox/condition.ts'
import { httpUrlInWords, isHttpUrl, isText, type TextRule, textInWords } from '../text-rules.ts'
import { timeZoneInWords, toTimeZone } from '../time-zone.ts'
import { areFieldNames, maxNameBytes } from './field-names.ts'
import { type NotifyEntry, toAddressed, toStoredEntry } from './notify-entries.ts'
import { closedTextRule, maxMaxSubmissions, toMoment } from './opening.ts'
import { maxOrigins, originInWords, toAllowedOrigin } from './origins.ts'
import {
  fileTypeInWords,
  honeypotInWords,
  isHoneypot,
  isReply,
  maxAddresses,
  maxColumns,
  maxFileTypes,
  maxMaxFiles,
  maxMaxLinks,
  maxRetentionDays,
  maxSpamDays,
  maxSubmitLimit,
  maxTerms,
  noMailServer,
  type ReplySettings,
  refuseLongTerms,
  replySubjectRule,
  replyTextRule,
  termRule,
  thankYouRule,
  toFileType,
} from './settings.ts'

export const titleRule: TextRule = { minLength: 1, maxLength: 255 }
export const descriptionRule: TextRule = { maxLength: 1000 }
export const returnUrlRule: TextRule = { maxLength: 2048 }

// What a person typed. The API checks the same rules with its schemas.

/** @throws AppError `invalid` */
export const parseTitle = (text: string): string => {
  const title = text.trim()
  if (isText(titleRule, title)) return title
  throw invalid({ field: 'title', message: `must be ${textInWords(titleRule)}; got ${[...title].length}` })
}

/** @throws AppError `invalid` */
export const parseDescription = (text: string): string | null => {
  const description = text.trim()
  if (!isText(descriptionRule, description))
    throw invalid({
      field: 'description',
      message: `must be ${textInWords(descriptionRule)}; got ${[...description].length}`,
    })
  return description || null
}

/** @throws AppError `invalid` */
export const parseReturnUrl = (text: string): string | null => {
  const url = text.trim()
  if (url === '') return null
  if (isHttpUrl(returnUrlRule, url)) return url
  throw invalid({
    field: 'returnUrl',
    message: `must be ${httpUrlInWords(returnUrlRule)}, such as https://example.com/thanks`,
  })
}

/** @throws AppError `invalid` */
export const parseThankYou = (text: string): string | null => parseLines('thankYou', thankYouRule, text)

/** @throws AppError `invalid` */
export const parseClosedText = (text: string): string | null => parseLines('closedText', closedTextRule, text)

const parseLines = (field: string, rule: TextRule, typed: string): string | null => {
  const text = typed.trim()
  if (text === '') return null
  if (isText(rule, text)) return text
  throw invalid({ field, message: `must be at most ${rule.maxLength} characters; got ${[...text].length}` })
}

/** @throws AppError `invalid` */
export const parseOpensAt = (text: string): string | null => parseUtc('opensAt', text)

/** @throws AppError `invalid` */
export const parseClosesAt = (text: string): string | null => parseUtc('closesAt', text)

/** Parses what a browser sends of an input for a date and time, or what a person types where a browser has no such input. */
const parseUtc = (field: string, text: string): string | null => {
  const typed = text.trim()
  if (typed === '') return null
  const moment = toMoment(typed) ?? toMoment(`${typed.replace(' ', 'T')}Z`)
  if (moment !== null) return moment
  throw invalid({ field, message: 'must be a date and time such as 2026-12-01 08:00, or empty' })
}

/** @throws AppError `invalid` */
export const parseMaxSubmissions = (text: string): number | null =>
  parseInteger('maxSubmissions', text, 1, maxMaxSubmissions)

/**
 * The names of fields, one a line.
 *
 * @throws AppError `invalid`
 */
export const parseColumns = (text: string): readonly string[] | null => {
  const columns = [...new Set(toLines(text))]
  if (columns.length > maxColumns)
    throw invalid({ field: 'columns', message: `must be at most ${maxColumns} names; got ${columns.length}` })
  if (!areFieldNames(columns))
    throw invalid({ field: 'columns', message: `must be names of at most ${maxNameBytes} bytes each` })
  return columns.length === 0 ? null : columns
}

/** An address as somebody typed it, with how it gets its mails. */
export interface TypedEntry {
  readonly address: string
  /** `day`, or empty. */
  readonly digest: string
  /** The condition; both empty for none. */
  readonly field: string
  readonly equals: string
}

/**
 * @param canMail whether the server can send any
 * @throws AppError `invalid`
 */
export const parseNotify = (typed: readonly TypedEntry[], canMail: boolean): readonly NotifyEntry[] => {
  const refused = (message: string): AppError => invalid({ field: 'notify', message })
  if (typed.length > 0 && !canMail) throw noMailServer()
  const wrong = typed.find(({ address }) => toMailAddress(address) === null)
  if (wrong)
    throw refused(
      `must be e-mail addresses such as ada@example.com; got ${JSON.stringify(wrong.address.slice(0, 100))}`,
    )
  const byAddress = new Map<string, NotifyEntry>()
  for (const { address, digest, field, equals } of typed) {
    const only = field === '' && equals === '' ? null : { field, equals }
    if (only && !isCondition(only))
      throw refused(`must have both a field and its value, each of ${textInWords(conditionRule)}, or neither`)
    const key = (toMailAddress(address) ?? address).toLowerCase()
    const entry = toStoredEntry({ address, only, digest: digest === 'day' ? 'day' : null })
    const before = byAddress.get(key)
    if (before && !Bun.deepEquals({ ...toAddressed(before), address }, { ...toAddressed(entry), address }))
      throw refused(`must have each address once; got ${address} twice`)
    byAddress.set(key, entry)
  }
  if (byAddress.size <= maxAddresses) return [...byAddress.values()]
  throw refused(`must be at most ${maxAddresses} addresses; got ${byAddress.size}`)
}

/** @throws AppError `invalid` */
export const parseDigestZone = (text: string): string => {
  const zone = toTimeZone(text.trim().replaceAll(' ', '_'))
  if (zone !== null) return zone
  throw invalid({ field: 'digestZone', message: `must be ${timeZoneInWords}` })
}

/**
 * The answer to visitors, as it was typed. Without a field it is none.
 *
 * @param canMail whether the server can send any
 * @throws AppError `invalid`
 */
export const parseReply = (typed: ReplySettings, canMail: boolean): ReplySettings | null => {
  if (typed.field === '') {
    if (typed.subject === '' && typed.text === '' && !typed.copy) return null
    throw invalid({ field: 'reply', message: 'must name the field with the address; or clear the others as well' })
  }
  if (!canMail) throw noMailServer('reply')
  for (const [part, rule] of [['subject', replySubjectRule] as const, ['text', replyTextRule] as const])
    if (!isText(rule, typed[part]))
      throw invalid({
        field: 'reply',
        message: `must have a ${part} of ${textInWords(rule)}; got ${[...typed[part]].length}`,
      })
  if (isReply(typed)) return typed
  throw invalid({ field: 'reply', message: `must be a name of at most ${maxNameBytes} bytes` })
}

/**
 * Origins, one a line.
 *
 * @throws AppError `invalid`
 */
export const parseOrigins = (text: string): readonly string[] => {
  const origins = toLines(text)
  const wrong = origins.find((origin) => toAllowedOrigin(origin) === null)
  if (origins.length <= maxOrigins && wrong === undefined) return origins
  const message =
    wrong === undefined
      ? `must be at most ${maxOrigins} lines; got ${origins.length}`
      : `each line must be ${originInWords}; got ${JSON.stringify(wrong.slice(0, 100).toWellFormed())}`
  throw invalid({ field: 'allowedOrigins', message })
}

/** @throws AppError `invalid` */
export const parseHoneypot = (text: string): string => {
  const name = text.trim()
  if (isHoneypot(name)) return name
  throw invalid({ field: 'honeypot', message: `must be ${honeypotInWords}` })
}

/**
 * Terms, one a line.
 *
 * @throws AppError `invalid`
 */
export const parseTerms = (text: string): readonly string[] => {
  const terms = [...new Set(toLines(text))]
  const wrong = terms.find((term) => !isText(termRule, term))
  if (terms.length <= maxTerms && wrong === undefined) {
    refuseLongTerms(terms)
    return terms
  }
  throw invalid({
    field: 'blockedTerms',
    message: `must be at most ${maxTerms} lines of ${textInWords(termRule)}; got ${
      wrong === undefined ? terms.length : JSON.stringify(wrong.slice(0, 100).toWellFormed())
    }`,
  })
}

/**
 * Kinds of files, one a line. Extensions may lack their dot.
 *
 * @throws AppError `invalid`
 */
export const parseFileTypes = (text: string): readonly string[] => {
  const types = [...new Set(toLines(text).map((line) => line.toLowerCase().replace(/^(?:\*?\.)?(?=\w{1,4}$)/, '.')))]
  const wrong = types.find((type) => toFileType(type) === null)
  if (types.length <= maxFileTypes && wrong === undefined) return types
  const message =
    wrong === undefined
      ? `must be at most ${maxFileTypes} endings and media types; got ${types.length}`
      : `must be ${fileTypeInWords}; got ${JSON.stringify(wrong.slice(0, 100).toWellFormed())}`
  throw invalid({ field: 'fileTypes', message })
}

/** @throws AppError `invalid` */
export const parseMaxFiles = (text: string): number | null => parseInteger('maxFiles', text, 1, maxMaxFiles)

const units = [
  ['MiB', 1024 * 1024],
  ['MB', 1_000_000],
  ['KiB', 1024],
  ['kB', 1000],
  ['bytes', 1],
] as const

/**
 * A size such as `1.5 MiB`, as bytes.
 *
 * @param most bytes that the operator allows
 * @throws AppError `invalid`
 */
export const parseMaxFileBytes = (text: string, most: number): number | null => {
  if (text.trim() === '') return null
  const [, digits, written = ''] = /^(\d{1,12}(?:\.\d{1,12})?)\s*([a-z]+)$/i.exec(text.trim()) ?? []
  const [, size = Number.NaN] = units.find(([unit]) => unit.toLowerCase() === written.toLowerCase()) ?? []
  const bytes = Math.round(Number(digits) * size)
  if (bytes >= 1 && bytes <= most) return bytes
  const message = `must be a size such as 500 KiB or 2 MiB, up to ${sizeInWords(most)}, or empty`
  throw invalid({ field: 'maxFileBytes', message })
}

/** Bytes in the unit in which they are a whole number: `2 MiB`. */
export const sizeInWords = (bytes: number): string => {
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ['bytes', 1]
  return `${bytes / size} ${unit}`
}

/** @throws AppError `invalid` */
export const parseMaxLinks = (text: string): number | null => parseInteger('maxLinks', text, 0, maxMaxLinks)

/** @throws AppError `invalid` */
export const parseSpamDays = (text: string): number => {
  const days = text.trim()
  if (/^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= maxSpamDays) return Number(days)
  throw invalid({ field: 'spamDays', message: `must be a whole number from 1 to ${maxSpamDays}` })
}

/** @throws AppError `invalid` */
export const parseRetentionDays = (text: string): number | null =>
  parseInteger('retentionDays', text, 1, maxRetentionDays)

/**
 * @param most what the operator allows; 0 for any number
 * @throws AppError `invalid`
 */
export const parseSubmitLimit = (text: string, most: number): number | null =>
  parseInteger('submitLimit', text, 1, most === 0 ? maxSubmitLimit : Math.min(most, maxSubmitLimit))

const parseInteger = (field: string, text: string, minimum: number, maximum: number): number | null => {
  const digits = text.trim()
  if (digits === '') return null
  const value = Number(digits)
  if (/^\d{1,7}$/.test(digits) && value >= minimum && value <= maximum) return value
  throw invalid({ field, message: `must be a whole number from ${minimum} to ${maximum}, or empty` })
}

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

import { invalid } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { parseMoment } from '../../base/moment.ts'

const maxNameCharacters = 100

/** @throws AppError `invalid` */
export const parseKeyName = (text: string): string => {
  const name = text.trim()
  const characters = [...name].length
  if (characters >= 1 && characters <= maxNameCharacters && name.isWellFormed() && !/\p{Cc}/u.test(name)) return name
  throw invalid({
    field: 'name',
    message: `must be 1 to ${maxNameCharacters} characters without line breaks; got ${characters}`,
  })
}

/** Forms that a key can be limited to: the list is read with the key. */
export const maxKeyForms = 100

/** @throws AppError `invalid` */
export const refuseManyForms = (ids: readonly string[]): void => {
  if (ids.length > maxKeyForms)
    throw invalid({ field: 'form', message: `must be at most ${maxKeyForms} forms; got ${ids.length}` })
}

/**
 * Identifiers of the forms that a new key is limited to, each once.
 *
 * @param findReadable finds those of some forms that the user of the key may read
 * @throws AppError `invalid`
 */
export const parseKeyForms = (
  given: readonly string[],
  findReadable: (ids: readonly string[]) => ReadonlyMap<string, unknown>,
): readonly string[] => {
  const ids = [...new Set(given)].filter(Boolean)
  if (ids.length === 0) throw invalid({ field: 'forms', message: 'choose at least one form, or all forms' })
  refuseManyForms(ids)
  const readable = findReadable(ids)
  const unknown = ids.find((id) => !readable.has(id))
  if (unknown === undefined) return ids
  const message = `must be forms that you can see; ${JSON.stringify(unknown.slice(0, 40))} is not one`
  throw invalid({ field: 'forms', message })
}

/**
 * The first millisecond at which the key no longer works: the end of a day in UTC, or the moment given.
 *
 * @throws AppError `invalid` if the text is not a date, or is in the past
 */
export const parseExpiry = (text: string, now: number): number => {
  const moment = parseMoment(text)
  if (!moment) throw invalid({ field: 'expires', message: 'must be a date (2026-12-31) or a date-time with an offset' })
  const expiresAt = moment.isDay ? moment.last + 1 : Math.ceil(moment.first)
  if (expiresAt <= now)
    throw invalid({ field: 'expires', message: `must not be in the past; got ${JSON.stringify(text)}` })
  return expiresAt
}

/** A new key: its value, which is shown once, and what is stored of it. */
export const newKey = (): { readonly value: string; readonly hash: string; readonly start: string } => {
  const value = newValue()
  // Distinguishes it from others: 4 of its 40 characters.
  return { value, hash: hashKey(value), start: value.slice(0, 8) }
}

/** `api_` and 40 random letters and digits, 238 bits. */
const newValue = (): string => {
  let key = 'api_'
  while (key.length < 4 + 40)
    // 248 is the largest multiple of 62 in a byte: with larger bytes, some characters would be more likely than others.
    for (const byte of crypto.getRandomValues(new Uint8Array(64)))
      if (byte < 248 && key.length < 4 + 40) key += alphabet[byte % 62]
  return key
}
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** SHA-256 in hexadecimal. Only passwords need a slow hash; this one is of 238 random bits, and each request waits. */
export const hashKey = (key: string): string => sha256(key, 'hex')

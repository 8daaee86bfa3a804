import { UsageError } from '../errors.ts'
import { parseMoment } from '../moment.ts'

const maxNameCharacters = 100

/** @throws UsageError */
export const parseKeyName = (text: string): string => {
  const name = text.trim()
  const characters = [...name].length
  if (characters >= 1 && characters <= maxNameCharacters && name.isWellFormed() && !/\p{Cc}/u.test(name)) return name
  throw new UsageError(`name: must be 1 to ${maxNameCharacters} characters without line breaks, has ${characters}`)
}

/**
 * The first millisecond at which the key no longer works: the end of a day in UTC, or the moment given.
 *
 * @throws UsageError when the text is no date, or one in the past.
 */
export const parseExpiry = (text: string, now: number): number => {
  const moment = parseMoment(text)
  if (!moment) throw new UsageError(`expires: must be a date (2026-12-31) or a date-time with an offset`)
  const expiresAt = moment.isDay ? moment.last + 1 : Math.ceil(moment.first)
  if (expiresAt <= now) throw new UsageError(`expires: must not be in the past, is ${JSON.stringify(text)}`)
  return expiresAt
}

import { invalid } from '../errors.ts'
import { parseMoment } from '../moment.ts'

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

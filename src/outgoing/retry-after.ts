import { dayMilliseconds } from '../durations.ts'

/** No receiver can put a delivery off for longer: 24 hours. */
const maxMilliseconds = dayMilliseconds

/**
 * How long a receiver asks to wait, in milliseconds: seconds, or a date in one of the three formats of HTTP (RFC 9110
 * sections 10.2.3 and 5.6.7). Null if the header is absent or neither.
 */
export const retryAfterMilliseconds = (value: string | undefined, now: number): number | null => {
  const text = value?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), maxMilliseconds)
}

// Sun, 06 Nov 1994 08:49:37 GMT, Sunday, 06-Nov-94 08:49:37 GMT, Sun Nov  6 08:49:37 1994
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = '\\d\\d:\\d\\d:\\d\\d'
const zoned = new RegExp(`^(?:${day}, \\d\\d ${month} \\d{4}|${day}[a-z]*, \\d\\d-${month}-\\d\\d) ${time} GMT$`)
const unzoned = new RegExp(`^${day} ${month} [ \\d]\\d ${time} \\d{4}$`)

const dateOf = (text: string): number => {
  if (zoned.test(text)) return Date.parse(text)
  return unzoned.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
}

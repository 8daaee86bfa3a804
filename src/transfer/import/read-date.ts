/** Which of `3/4` is the day. */
export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]
export type DateFormat = 'iso' | 'words' | 'unix' | 'numbers'

/** A date and time as it is written. */
export interface WrittenDate {
  readonly format: DateFormat
  /** What a clock shows, as the Unix time in milliseconds at which UTC shows it. Undefined if it cannot be read like that. */
  readonly dmy: number | undefined
  readonly mdy: number | undefined
  /** That of the zone that it names, in milliseconds; undefined if it names none. */
  readonly offset: number | undefined
}

const maxLength = 100

const time = String.raw`(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?([ap])\.?m\.?)?`
const zone = String.raw`\s?\(?(Z|UTC|GMT)?([+-]\d{1,2}(?::?\d\d)?)?\)?`
const rest = String.raw`(?:(?:T|,?\s(?:at\s|-\s)?)${time}${zone})?$`
const weekday = String.raw`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s)?`
const pattern = (day: string): RegExp => new RegExp(weekday + day + rest, 'i')

const plainIso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z)?$/
const yearFirst = pattern(String.raw`(\d{4})([-/.])(\d{1,2})\2(\d{1,2})`)
const withDots = pattern(String.raw`(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)`)
const numbers = pattern(String.raw`(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d\d)`)
const monthFirst = pattern(String.raw`([a-z]{3,9})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s(\d{4})`)
const dayFirst = pattern(String.raw`(\d{1,2})(?:st|nd|rd|th)?\.?[\s-]([a-z]{3,9})\.?,?[\s-](\d{4})`)

/**
 * Reads a date as the services write it: ISO 8601, `2026/03/04 2:05:06 PM GMT+1`, `3/4/2026 14:05`, `04.03.2026 14:05`,
 * `Jul 19, 2022`, or a Unix time in seconds or milliseconds of the years 2000 to 2100. Undefined if it is none.
 */
export const readDate = (text: string): WrittenDate | undefined => {
  // The columns are judged first, and the time is read then.
  if (text !== lastText) [lastText, lastRead] = [text, read(text)]
  return lastRead
}
let lastText = ''
let lastRead: WrittenDate | undefined

const read = (text: string): WrittenDate | undefined => {
  if (text.length > maxLength) return undefined
  // The usual one: all of them by the other expressions took 4 % of an import.
  const iso = plainIso.exec(text)
  if (iso) {
    const [, year, month, day, hour, minute, second, fraction, utc] = iso
    return sure('iso', [year, month, day], [hour, minute, second, fraction, undefined, utc])
  }
  const line = /^\s|\s$|[^\S ]|\s\s/.test(text) ? text.trim().replaceAll(/\s+/g, ' ') : text
  let match = yearFirst.exec(line)
  if (match) {
    const [, year, , month, day, ...clock] = match
    return sure('iso', [year, month, day], clock)
  }
  if (/^\d{9,13}(?:\.\d{1,6})?$/.test(line)) return unixTime(Number(line))
  match = withDots.exec(line)
  if (match) {
    const [, day, month, year, ...clock] = match
    return sure('numbers', [year, month, day], clock)
  }
  match = numbers.exec(line)
  if (match) {
    const [, one, , two, year, ...clock] = match
    const [dmy, mdy] = [clockTime([year, two, one], clock), clockTime([year, one, two], clock)]
    return dmy === undefined && mdy === undefined ? undefined : { format: 'numbers', dmy, mdy, offset: offsetOf(clock) }
  }
  match = monthFirst.exec(line)
  if (match) {
    const [, name = '', day, year, ...clock] = match
    return sure('words', [year, monthOf(name), day], clock)
  }
  match = dayFirst.exec(line)
  if (!match) return undefined
  const [, day, name = '', year, ...clock] = match
  return sure('words', [year, monthOf(name), day], clock)
}

type Day = readonly [year: string | undefined, month: string | undefined, day: string | undefined]
/** Hour, minute, second, fraction, `a` or `p`, name of a zone, offset. */
type Clock = readonly (string | undefined)[]

const sure = (format: DateFormat, day: Day, clock: Clock): WrittenDate | undefined => {
  const read = clockTime(day, clock)
  return read === undefined ? undefined : { format, dmy: read, mdy: read, offset: offsetOf(clock) }
}

const unixTime = (number: number): WrittenDate | undefined => {
  const read = [number * 1000, number].find((at) => at >= Date.UTC(2000, 0) && at < Date.UTC(2100, 0))
  return read === undefined ? undefined : { format: 'unix', dmy: read, mdy: read, offset: 0 }
}

const months = 'january february march april may june july august september october november december'.split(' ')

const monthOf = (name: string): string | undefined => {
  const at = months.findIndex((month) => month.startsWith(name.toLowerCase()))
  return at === -1 ? undefined : String(at + 1)
}

const clockTime = ([year = '', month = '', day = '']: Day, clock: Clock): number | undefined => {
  const [hour = '0', minute = '0', second = '0', fraction = '', half] = clock
  const [y, m, d, h] = [
    year.length === 2 ? 2000 + Number(year) : Number(year),
    Number(month),
    Number(day),
    Number(hour),
  ]
  if (half === undefined ? h > 23 : h < 1 || h > 12) return undefined
  const hours = half === undefined ? h : (h % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (Number(minute) > 59 || Number(second) > 59) return undefined
  const at = Date.UTC(y, m - 1, d, hours, Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')))
  const found = new Date(at)
  // `Date` turns 30 February into 2 March, and year 99 into 1999.
  return found.getUTCMonth() === m - 1 && found.getUTCDate() === d && found.getUTCFullYear() === y ? at : undefined
}

const offsetOf = (clock: Clock): number | undefined => {
  const [, , , , , name, offset] = clock
  if (offset === undefined) return name === undefined ? undefined : 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2}):?(\d\d)?$/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** What all that `isNoTime` knows begin with or have in them. Asked twice for each row, so once with one expression. */
const mayBeNoTime = /^\s*(?:0|$)|19[78]0/

/** What programs write where they have no time. */
export const isNoTime = (text: string): boolean => {
  if (!mayBeNoTime.test(text)) return false
  const line = text.trim()
  if (line === '' || /^0+$/.test(line) || /^0000[-/.]00?[-/.]00?/.test(line)) return true
  if (!/19[78]0/.test(line)) return false
  const read = readDate(line)
  const placeholders = [Date.UTC(1970, 0), Date.UTC(1980, 0)]
  return read?.dmy !== undefined && [read.dmy, read.dmy - (read.offset ?? 0)].some((at) => placeholders.includes(at))
}

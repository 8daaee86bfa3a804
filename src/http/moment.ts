/** What a date or date-time stands for: Unix time in milliseconds, with a fraction where there is one. */
interface Moment {
  readonly first: number
  readonly last: number
  readonly isDay: boolean
}

const dayMilliseconds = 86_400_000
const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i

/** A date (the whole day in UTC) or a date-time with an offset (RFC 3339; seconds may be left out); else undefined. */
export const parseMoment = (text: string): Moment | undefined => {
  const [, date = '', time, second = '00', fraction = '', offset = ''] = pattern.exec(text) ?? []
  const day = Date.parse(`${date}T00:00:00Z`)
  // `Date` takes 30 February for 2 March.
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return undefined
  if (time === undefined) return { first: day, last: day + dayMilliseconds - 1, isDay: true }
  const millisecond = fraction.slice(0, 3).padEnd(3, '0')
  const moment = Date.parse(`${date}T${time}:${second}.${millisecond}${offset.toUpperCase()}`)
  if (Number.isNaN(moment) || time.startsWith('24')) return undefined
  // At this size a number tells a thousandth of a millisecond from a whole one, and little more.
  const rest = Number(`0.${fraction.slice(3)}0`)
  const exact = moment + (rest === 0 ? 0 : Math.min(Math.max(rest, 0.001), 0.999))
  return { first: exact, last: exact, isDay: false }
}

import { minuteMilliseconds } from './durations.ts'
import { toIsoTime } from './moment.ts'

export const timeZoneInWords = 'the name of a time zone, such as Europe/Berlin, America/New_York or UTC'

let names: readonly string[] | undefined

/** The names of time zones that are in use, in their order. */
export const timeZones = (): readonly string[] => (names ??= Intl.supportedValuesOf('timeZone'))

/** The name of a time zone of the IANA database, in the usual case; null if it is not one. */
export const toTimeZone = (text: string): string | null => {
  // Not an offset such as `+01:00`, which would be wrong for half of the year.
  if (!/^[a-z][\w+/-]{0,63}$/i.test(text)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/**
 * When the clocks of a time zone show a time the next time, on one of some days, in Unix milliseconds. Where they skip it, it is
 * as long after midnight as on other days; where they show it twice, it is the first of the two. A day that a zone skips
 * has none.
 *
 * @param clock such as `07:00`
 */
export const nextAt = (
  zone: string,
  clock: string,
  now: number,
  isOne: (day: Temporal.PlainDate) => boolean = () => true,
): number => {
  const local = inZone(zone, now)
  const { timeZoneId: timeZone } = local
  for (let days = 0; ; days++) {
    const day = local.toPlainDate().add({ days })
    const { epochMilliseconds } = day.toZonedDateTime({ timeZone, plainTime: clock })
    if (epochMilliseconds > now && isOne(day)) return epochMilliseconds
  }
}

/** The local time of a zone, as the Unix time at which UTC has it. */
export const clocksIn = (zone: string, at: number): number => at + inZone(zone, at).offsetNanoseconds / 1_000_000

/**
 * Makes the texts of times in a zone, such as `2026-12-24T18:00:00.000+01:00` (RFC 3339); of UTC, `…Z`. Times of the same
 * quarter of an hour, which often follow each other, are looked up once.
 */
export const isoTimesIn = (zone: string): ((at: number) => string) => {
  if (zone === 'UTC') return toIsoTime
  let known: { readonly quarter: number; readonly minutes: number } | undefined
  return (at) => {
    const quarter = Math.floor(at / quarterMilliseconds)
    if (known?.quarter !== quarter)
      known = { quarter, minutes: Math.round((clocksIn(zone, at) - at) / minuteMilliseconds) }
    const { minutes } = known
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
      String(part).padStart(2, '0'),
    )
    return `${toIsoTime(at + minutes * minuteMilliseconds).slice(0, -1)}${minutes < 0 ? '-' : '+'}${hours}:${rest}`
  }
}

/**
 * The Unix time at which the clocks of a zone show what UTC shows at this one. Of a time that they show twice, it is the
 * first; one that they skip is as long after the change as it is after the last one before.
 */
export const timeAt = (zone: string, clocks: number): number => {
  if (zone === 'UTC') return clocks
  // The clocks are changed at whole quarters of an hour.
  const quarter = Math.floor(clocks / quarterMilliseconds) * quarterMilliseconds
  if (memo?.zone !== zone || memo.quarter !== quarter) {
    const plain = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO('UTC').toPlainDateTime()
    memo = { zone, quarter, offset: plain.toZonedDateTime(zone).epochMilliseconds - quarter }
  }
  return clocks + memo.offset
}
const quarterMilliseconds = 900_000
let memo: { readonly zone: string; readonly quarter: number; readonly offset: number } | undefined

/** A zone that this version does not know, but an earlier one or another machine did, is taken for UTC. */
const inZone = (zone: string, at: number): Temporal.ZonedDateTime => {
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(at))
  try {
    return instant.toZonedDateTimeISO(zone)
  } catch {
    return instant.toZonedDateTimeISO('UTC')
  }
}

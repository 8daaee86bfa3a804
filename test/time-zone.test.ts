import { describe, expect, test } from 'bun:test'
import { clocksIn, isoTimesIn, nextAt, toTimeZone } from '../src/base/time-zone.ts'

const nextSevenAt = (zone: string, now: number): number => nextAt(zone, '07:00', now)

describe('the next seven o’clock', () => {
  const next = (zone: string, now: string): string => new Date(nextSevenAt(zone, Date.parse(now))).toISOString()

  test.each([
    ['UTC', '2026-11-23T06:59:59.999Z', '2026-11-23T07:00:00.000Z'],
    ['UTC', '2026-11-23T07:00:00.000Z', '2026-11-24T07:00:00.000Z'],
    // The clocks go forward at 02:00, and back at 03:00.
    ['Europe/Berlin', '2026-03-28T06:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T05:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T05:00:00Z', '2026-03-30T05:00:00.000Z'],
    ['Europe/Berlin', '2026-10-24T05:00:00Z', '2026-10-25T06:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T05:30:00Z', '2026-10-25T06:00:00.000Z'],
    ['America/New_York', '2026-03-07T12:00:00Z', '2026-03-08T11:00:00.000Z'],
    ['America/New_York', '2026-10-31T11:00:00Z', '2026-11-01T12:00:00.000Z'],
    // By half an hour.
    ['Australia/Lord_Howe', '2026-10-02T20:30:00Z', '2026-10-03T20:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-03T20:00:00Z', '2026-04-04T20:30:00.000Z'],
    // There is no midnight on the first day: it begins at 01:00.
    ['Africa/Cairo', '2026-04-23T05:00:00Z', '2026-04-24T04:00:00.000Z'],
    ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T04:00:00.000Z'],
    ['America/Santiago', '2026-09-05T11:00:00Z', '2026-09-06T10:00:00.000Z'],
    // Without 30 December 2011.
    ['Pacific/Apia', '2011-12-29T16:59:59Z', '2011-12-29T17:00:00.000Z'],
    ['Pacific/Apia', '2011-12-29T17:00:00Z', '2011-12-30T17:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30T17:00:00Z', '2011-12-31T17:00:00.000Z'],
    // Kwajalein skipped 21 August 1993; Asia/Kathmandu is 05:45 ahead, Pacific/Kiritimati 14:00.
    ['Pacific/Kwajalein', '1993-08-20T20:00:00Z', '1993-08-21T19:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01T01:15:00Z', '2026-01-02T01:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01T00:00:00Z', '2026-01-01T17:00:00.000Z'],
  ])('in %s after %s is at %s', (zone, now, expected) => {
    expect(next(zone, now)).toBe(expected)
  })

  test('comes once on each day of twenty years, and never more than 25 hours after the last one', () => {
    const hour = 3_600_000
    for (const zone of [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Pacific/Apia',
      'Africa/Casablanca',
    ]) {
      const days = new Set<string>()
      const start = Date.UTC(2008, 0, 1)
      let count = 0
      for (let at = nextSevenAt(zone, start); at < Date.UTC(2028, 0, 1); count++) {
        const shown = new Date(clocksIn(zone, at)).toISOString()
        expect(shown).toEndWith('T07:00:00.000Z')
        days.add(shown)
        // However close to it someone asks.
        expect(nextSevenAt(zone, at - 1)).toBe(at)
        const next = nextSevenAt(zone, at)
        expect(next - at).toBeGreaterThanOrEqual(23 * hour)
        expect(next - at).toBeLessThanOrEqual(25 * hour)
        at = next
      }
      expect(days.size).toBe(count)
      expect(Math.abs(count - 20 * 365.25)).toBeLessThanOrEqual(1)
    }
  })

  test('of a zone that no one knows is that of UTC', () => {
    expect(next('Atlantis/Capital', '2026-11-23T06:00:00Z')).toBe('2026-11-23T07:00:00.000Z')
  })
})

describe('the text of a time', () => {
  test.each([
    ['UTC', '2026-12-24T18:00:00.000Z', '2026-12-24T18:00:00.000Z'],
    ['Europe/Berlin', '2026-12-24T23:30:00.001Z', '2026-12-25T00:30:00.001+01:00'],
    ['America/St_Johns', '2026-06-01T00:00:00.000Z', '2026-05-31T21:30:00.000-02:30'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00.000Z', '2026-01-01T05:45:00.000+05:45'],
    // The clocks are put back between the two.
    ['Europe/Berlin', '2026-10-25T00:59:59.999Z', '2026-10-25T02:59:59.999+02:00'],
    ['Europe/Berlin', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00.000+01:00'],
    // Its clocks were 44 minutes and 30 seconds behind.
    ['Africa/Monrovia', '1971-01-01T00:00:00.000Z', '1970-12-31T23:16:00.000-00:44'],
  ])('in %s of %s', (zone, time, text) => {
    expect(isoTimesIn(zone)(Date.parse(time))).toBe(text)
    expect(Date.parse(text)).toBe(Date.parse(time))
  })

  test('is right whichever was made before', () => {
    const texts = isoTimesIn('Europe/Berlin')
    for (const [time, text] of [
      ['2026-10-25T00:59:00.000Z', '2026-10-25T02:59:00.000+02:00'],
      ['2026-10-25T01:01:00.000Z', '2026-10-25T02:01:00.000+01:00'],
      ['2026-10-25T00:59:00.000Z', '2026-10-25T02:59:00.000+02:00'],
    ] as const)
      expect(texts(Date.parse(time))).toBe(text)
  })
})

describe('the name of a time zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('%s is %s', (text, name) => {
    expect(toTimeZone(text)).toBe(name)
  })

  test.each([
    '',
    ' UTC',
    'UTC ',
    '+01:00',
    '-08',
    'Berlin',
    'PST',
    'Z',
    'Europe',
    'Europe/Berlin\0',
    'x'.repeat(1e6),
    'Ünited/X',
    '__proto__',
  ])('is not %j', (text) => {
    expect(toTimeZone(text)).toBeNull()
  })
})

import { describe, expect, test } from 'bun:test'
import { momentPattern, parseMoment } from '../../src/base/moment.ts'

const at = (text: string): number => new Date(text).getTime()

/** Neither dates nor date-times. */
const neither = [
  '',
  ' ',
  'today',
  '2026',
  '2026-11',
  '2026-1-1',
  '2026-13-01',
  '2026-00-10',
  '2026-11-00',
  '2026-11-31',
  '2026-02-29',
  '1900-02-29',
  '26-11-21',
  '+002026-11-21',
  '12026-11-21',
  '2026/11/21',
  '20261121',
  '2026-11-21 ',
  ' 2026-11-21',
  '2026-11-21\n',
  '2026-11-21Z',
  '2026-11-21T08:01:02',
  '2026-11-21 08:01:02Z',
  '2026-11-21T08:01:02 Z',
  '2026-11-21T08Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T08:60:00Z',
  '2026-11-21T08:01:61Z',
  '2026-11-21T08:01:02.Z',
  '2026-11-21T08:01:02,5Z',
  '2026-11-21T08:01:02.1234567890Z',
  '2026-11-21T08:01:02+5',
  '2026-11-21T08:01:02+0530',
  '2026-11-21T08:01:02+24:00',
  '2026-11-21T08:01:02+05:60',
  '2026-02-30T08:01:02Z',
  '２０２６-11-21',
  '1795255554628',
  'NaN',
  '2026-11-21T08:01:02Z[UTC]',
]

describe('parseMoment', () => {
  test.each([
    ['an ordinary day', '2026-11-21'],
    ['a leap day', '2028-02-29'],
    ['a leap day of a century', '2000-02-29'],
    ['the last day of a year', '2026-12-31'],
    ['a day before Unix time', '1969-12-31'],
    ['the last day of all', '9999-12-31'],
  ])('takes %s for all of it, in UTC', (_, text) => {
    const first = at(`${text}T00:00:00.000Z`)
    expect(parseMoment(text)).toEqual({ first, last: first + 86_399_999, isDay: true })
  })

  test.each([
    ['UTC', '2026-11-21T08:01:02Z', '2026-11-21T08:01:02.000Z'],
    ['small letters', '2026-11-21t08:01:02z', '2026-11-21T08:01:02.000Z'],
    ['an offset to the east', '2026-11-21T00:30:00+05:30', '2026-11-20T19:00:00.000Z'],
    ['an offset to the west', '2026-11-21T23:30:00-01:00', '2026-11-22T00:30:00.000Z'],
    ['the greatest offset', '2026-11-21T00:00:00+23:59', '2026-11-20T00:01:00.000Z'],
    ['an unknown local offset', '2026-11-21T08:01:02-00:00', '2026-11-21T08:01:02.000Z'],
    ['no seconds', '2026-11-21T08:01Z', '2026-11-21T08:01:00.000Z'],
    ['a tenth of a second', '2026-11-21T08:01:02.5Z', '2026-11-21T08:01:02.500Z'],
    ['milliseconds', '2026-11-21T08:01:02.345Z', '2026-11-21T08:01:02.345Z'],
    ['nanoseconds of zero', '2026-11-21T08:01:02.345000000Z', '2026-11-21T08:01:02.345Z'],
  ])('takes a date-time with %s for one millisecond', (_, text, expected) => {
    expect(parseMoment(text)).toEqual({ first: at(expected), last: at(expected), isDay: false })
  })

  test('keeps a part of a millisecond, which is after that millisecond and before the next', () => {
    const millisecond = at('2026-11-21T08:01:02.345Z')
    const moment = parseMoment('2026-11-21T08:01:02.345001Z')
    expect(moment?.first).toBeGreaterThan(millisecond)
    expect(moment?.first).toBeLessThan(millisecond + 1)
    expect(moment).toEqual({ first: moment!.first, last: moment!.first, isDay: false })
  })

  test.each(neither)('takes %j for nothing', (text) => {
    expect(parseMoment(text)).toBeUndefined()
  })

  test('accepts every day that the calendar has in 400 years, and no other', () => {
    for (let day = at('1970-01-01'); day < at('2370-01-01'); day += 86_400_000) {
      const text = new Date(day).toISOString().slice(0, 10)
      if (parseMoment(text)?.first !== day) expect([text, parseMoment(text)?.first]).toEqual([text, day])
    }
    for (let year = 1970; year < 2370; year++)
      for (const [month, days] of [31, new Date(Date.UTC(year, 2, 0)).getUTCDate(), 31, 30, 31, 30].entries())
        expect(parseMoment(`${year}-0${month + 1}-${days + 1}`)).toBeUndefined()
  })
})

describe('the pattern in the document', () => {
  const pattern = new RegExp(momentPattern)
  const days = (year: number) =>
    Array.from({ length: 13 * 33 }, (_, i) => [Math.floor(i / 33), i % 33].map((part) => String(part).padStart(2, '0')))
      .map((monthAndDay) => `${String(year).padStart(4, '0')}-${monthAndDay.join('-')}`)
      .filter((text) => pattern.test(text) !== (parseMoment(text) !== undefined))

  test('knows the calendar of every year', () => {
    for (let year = 0; year <= 9999; year += year >= 1890 && year < 2110 ? 1 : 97) expect(days(year)).toEqual([])
    for (let year = 0; year <= 9999; year++) {
      const leapDay = `${String(year).padStart(4, '0')}-02-29`
      if (pattern.test(leapDay) !== (parseMoment(leapDay) !== undefined)) expect.unreachable(leapDay)
    }
  })

  test('knows the clock and every offset', () => {
    const wrong: string[] = []
    const check = (text: string) => {
      if (pattern.test(text) !== (parseMoment(text) !== undefined)) wrong.push(text)
    }
    for (let hour = 0; hour < 100; hour++)
      for (let minute = 0; minute < 100; minute++) {
        const time = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')
        for (const text of [`${time}Z`, `23:59:59+${time}`, `00:00-${time}`]) check(`2026-11-21T${text}`)
      }
    for (let second = 0; second < 100; second++) check(`2026-11-21T08:01:${String(second).padStart(2, '0')}Z`)
    for (let digits = 0; digits < 12; digits++) check(`2026-11-21T08:01:02.${'9'.repeat(digits)}Z`)
    expect(wrong).toEqual([])
  })

  test.each(neither)('takes %j for nothing', (text) => {
    expect(pattern.test(text)).toBe(false)
  })
})

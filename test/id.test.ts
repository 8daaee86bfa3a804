import { describe, expect, setSystemTime, test } from 'bun:test'
import { createdAt, creationTime, isId, newId, timePrefix } from '../src/base/id.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const isSorted = (ids: readonly string[]): boolean => ids.every((id, i) => i === 0 || (ids[i - 1] as string) < id)

describe('newId', () => {
  test('is 28 characters that need no escape in a URL, and never the word bulk', () => {
    const ids = Array.from({ length: 5000 }, (_, i) => newId(noon + i))
    expect(ids.filter((id) => !/^[0-9a-hjkmnp-tv-z]{28}$/.test(id))).toEqual([])
    expect(ids.filter((id) => encodeURIComponent(id) !== id || id.includes('bulk'))).toEqual([])
  })

  test('sorts by creation, also 100,000 within one millisecond, and none comes twice', () => {
    const time = noon + 100_000
    const ids = Array.from({ length: 100_000 }, () => newId(time))
    expect(isSorted(ids)).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    // 1,024 fit into a millisecond; the rest is dated ahead by as little as possible.
    expect(creationTime(ids[1023] as string)).toBe(time)
    expect(creationTime(ids[1024] as string)).toBe(time + 1)
    expect(creationTime(ids.at(-1) as string)).toBe(time + 97)
    expect(newId(time + 98) > (ids.at(-1) as string)).toBe(true)
  })

  test('keeps the order when the clock is set back by less than a second, and follows it further', () => {
    const first = newId(noon + 1_000_000)
    const slightlyBefore = newId(noon + 1_000_000 - 999)
    const longBefore = newId(noon)
    expect(slightlyBefore > first).toBe(true)
    expect(creationTime(longBefore)).toBe(noon)
    expect(longBefore < first).toBe(true)
  })

  test('ends in 16 characters that say nothing about the identifier before', () => {
    const secrets = Array.from({ length: 20_000 }, () => newId(noon).slice(12))
    expect(new Set(secrets).size).toBe(secrets.length)
    // Each of the 32 characters stands at each of the 16 places about 625 times; 400 and 850 are nine deviations away.
    for (let place = 0; place < 16; place++) {
      const counts = new Map<string, number>()
      for (const secret of secrets) counts.set(secret[place]!, (counts.get(secret[place]!) ?? 0) + 1)
      expect(counts.size).toBe(32)
      expect(Math.min(...counts.values())).toBeGreaterThan(400)
      expect(Math.max(...counts.values())).toBeLessThan(850)
    }
  })
})

describe('createdAt', () => {
  test.each([
    ['the beginning of Unix time', 0],
    ['the first millisecond', 1],
    ['the last millisecond of a day', Date.UTC(2026, 10, 21) - 1],
    ['midnight', Date.UTC(2026, 10, 21)],
    ['two digits of milliseconds', noon + 99],
    ['three digits of milliseconds', noon + 100],
    ['a second before the hour', noon - 1000],
    ['a leap day', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
    ['the end of the year 9999', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ])('writes %s as Date does', (_, time) => {
    const id = timePrefix(time) + '0'.repeat(18)
    expect(creationTime(id)).toBe(time)
    expect(createdAt(id)).toBe(new Date(time).toISOString())
  })

  test('writes any moment as Date does, in whatever order they come', () => {
    for (let i = 0; i < 20_000; i++) {
      const time = Math.floor((i * 7_919_999_983) % Date.UTC(2100, 0, 1))
      const id = timePrefix(time) + 'z'.repeat(18)
      if (createdAt(id) !== new Date(time).toISOString()) expect(createdAt(id)).toBe(new Date(time).toISOString())
    }
  })

  test('is the moment that the identifier was asked for', () => {
    setSystemTime(new Date('2031-02-03T04:05:06.007Z'))
    const id = newId(Date.now())
    setSystemTime()
    expect(createdAt(id)).toBe('2031-02-03T04:05:06.007Z')
  })
})

describe('timePrefix', () => {
  test('sorts before every identifier of its millisecond and after every earlier one', () => {
    const before = newId(noon + 5_000_000)
    const within = Array.from({ length: 1024 }, () => newId(noon + 5_000_001))
    expect(timePrefix(noon + 5_000_001) > before).toBe(true)
    expect(within.every((id) => id > timePrefix(noon + 5_000_001) && id < timePrefix(noon + 5_000_002))).toBe(true)
  })

  test('sorts as the times do, from the first to the last that can be asked for', () => {
    const times = [0, 1, 31, 32, 1023, 1024, noon, noon + 1, Date.UTC(9999, 11, 31, 23, 59, 59, 999) + 1]
    expect(isSorted(times.map(timePrefix))).toBe(true)
    expect(times.map((time) => timePrefix(time).length)).toEqual(times.map(() => 10))
  })
})

describe('isId', () => {
  const id = newId(noon)
  test.each([
    ['an identifier', id, true],
    ['one that is too short', id.slice(1), false],
    ['one that is too long', `${id}0`, false],
    ['capitals', id.toUpperCase(), false],
    ['a line break behind it', `${id}\n`, false],
    ['the word bulk', 'bulk', false],
    ['nothing', '', false],
    ['no text', 28, false],
    ['undefined', undefined, false],
  ])('%s', (_, text, expected) => {
    expect(isId(text)).toBe(expected)
  })
})

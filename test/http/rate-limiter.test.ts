import { describe, expect, test } from 'bun:test'
import { createRateLimiter, secondsUntil } from '../../src/http/rate-limit.ts'
import { expectBelow, expectQuick, millisecondsOf } from '../expect-below.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')

/** A limiter whose clock stands still until the test moves it. */
const prepare = (limit: number) => {
  const clock = { now: noon }
  return { clock, limiter: createRateLimiter(limit, () => clock.now) }
}

describe('createRateLimiter', () => {
  test('allows so many requests of a key and refuses the next', () => {
    const { limiter } = prepare(3)

    const taken = [1, 2, 3, 4, 5].map(() => limiter.take('a'))

    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false])
    expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    expect(taken.map(({ limit }) => limit)).toEqual([3, 3, 3, 3, 3])
    expect(new Set(taken.map(({ resetsAt }) => resetsAt))).toEqual(new Set([noon + 60_000]))
  })

  test('counts what is more than a request, and refuses what would be too much without counting it', () => {
    const { limiter } = prepare(100)

    const taken = [60, 41, 40, 1, 0].map((count) => limiter.take('a', undefined, count))

    expect(taken.map(({ allowed }) => allowed)).toEqual([true, false, true, false, true])
    expect(taken.map(({ remaining }) => remaining)).toEqual([40, 40, 0, 0, 0])
  })

  test('counts each key by itself', () => {
    const { limiter } = prepare(1)

    expect(limiter.take('a').allowed).toBe(true)
    expect(limiter.take('b').allowed).toBe(true)
    expect(limiter.take('a').allowed).toBe(false)
    expect(limiter.take('b').allowed).toBe(false)
  })

  test('opens the window with the first request in it, not with the minute of the clock', () => {
    const { clock, limiter } = prepare(1)
    clock.now = noon + 45_678

    expect(limiter.take('a').resetsAt).toBe(noon + 105_678)

    clock.now = noon + 105_677
    expect(limiter.take('a')).toMatchObject({ allowed: false, resetsAt: noon + 105_678 })
    clock.now = noon + 105_678
    expect(limiter.take('a')).toEqual({ allowed: true, limit: 1, remaining: 0, resetsAt: noon + 165_678 })
  })

  test('does not move the end of the window by a refused request', () => {
    const { clock, limiter } = prepare(1)
    limiter.take('a')

    for (clock.now = noon; clock.now < noon + 60_000; clock.now += 1000)
      expect(limiter.take('a')).toMatchObject({ allowed: false, resetsAt: noon + 60_000 })

    expect(limiter.take('a').allowed).toBe(true)
  })

  test('allows everything with a limit of 0', () => {
    const { limiter } = prepare(0)

    for (let i = 0; i < 1000; i++) expect(limiter.take('a').allowed).toBe(true)
  })

  test('takes a limit of the request instead of its own, also a lower one than what was counted', () => {
    const { limiter } = prepare(3)

    expect(limiter.take('a', 1)).toMatchObject({ allowed: true, limit: 1, remaining: 0 })
    expect(limiter.take('a', 1).allowed).toBe(false)
    expect(limiter.take('a')).toMatchObject({ allowed: true, limit: 3, remaining: 1 })
    expect(limiter.take('a', 1)).toMatchObject({ allowed: false, limit: 1, remaining: 0 })
    expect(limiter.take('a', 0)).toMatchObject({ allowed: true, limit: 0 })
    expect(limiter.take('a').allowed).toBe(true)
  })

  test('puts a request back, and never more than were taken', () => {
    const { limiter } = prepare(1)
    limiter.take('a')
    limiter.putBack('a')
    limiter.putBack('a')
    limiter.putBack('b')

    expect([limiter.take('a').allowed, limiter.take('a').allowed]).toEqual([true, false])
    expect([limiter.take('b').allowed, limiter.take('b').allowed]).toEqual([true, false])
  })

  test('begins a new window when the clock was set back, and locks no one out until it has caught up', () => {
    const { clock, limiter } = prepare(1)
    limiter.take('a')
    clock.now = noon - 3_600_000

    expect(limiter.take('a')).toEqual({ allowed: true, limit: 1, remaining: 0, resetsAt: noon - 3_540_000 })
    expect(limiter.take('a').allowed).toBe(false)
  })

  test('keeps the windows of 100,000 keys', () => {
    const { limiter } = prepare(1)
    for (let i = 0; i < 100_000; i++) limiter.take(`key ${i}`)

    expect(limiter.take('key 0').allowed).toBe(false)
    expect(limiter.take('key 99999').allowed).toBe(false)
  })

  test('gives up the oldest windows for more keys than that', () => {
    const { limiter } = prepare(1)
    for (let i = 0; i < 100_010; i++) limiter.take(`key ${i}`)

    expect(limiter.take('key 100009').allowed).toBe(false)
    expect(limiter.take('key 10').allowed).toBe(false)
    expect(limiter.take('key 9').allowed).toBe(true)
  })

  test('remembers nothing of windows from before the clock was set back, of the same keys or of others', () => {
    const { clock, limiter } = prepare(1)
    for (let i = 0; i < 10; i++) limiter.take(`key ${i}`)
    clock.now = noon - 3_600_000
    for (let i = 5; i < 15; i++) expect(limiter.take(`key ${i}`).allowed).toBe(true)

    clock.now += 60_000
    for (let i = 0; i < 15; i++) expect(limiter.take(`key ${i}`).allowed).toBe(true)
    for (let i = 0; i < 15; i++) expect(limiter.take(`key ${i}`).allowed).toBe(false)
  })

  test('takes no longer for keys that come when 100,000 are remembered', async () => {
    await expectBelow(10, async () => {
      const { limiter } = prepare(1)
      const takeAll = (from: number, to: number) =>
        millisecondsOf(() => {
          for (let i = from; i < to; i++) limiter.take(`key ${i}`)
        })
      const first = await takeAll(0, 100_000)
      return (await takeAll(100_000, 400_000)) / 3 / first
    })
  })

  test('takes a millisecond at the most for a request among 100,000 keys', async () => {
    const { clock, limiter } = prepare(1)
    for (let i = 0; i < 100_000; i++) limiter.take(`key ${i}`)
    // All of them have ended: the first request afterwards clears them away, and the next ones have nothing to do.
    clock.now += 60_000
    limiter.take('first')

    let number = 0
    await expectQuick(1000, () => {
      for (let i = 0; i < 1000; i++) limiter.take(`new ${number++}`)
    })
  })
})

describe('secondsUntil', () => {
  test.each([
    [60_000, 60],
    [59_001, 60],
    [59_000, 59],
    [1001, 2],
    [1000, 1],
    [1, 1],
    [0, 1],
    [-5000, 1],
  ])('rounds %i milliseconds up to %i seconds, at least 1', (milliseconds, seconds) => {
    expect(secondsUntil(noon + milliseconds, noon)).toBe(seconds)
  })
})

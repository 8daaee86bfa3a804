import { describe, expect, test } from 'bun:test'
import { serverWithClock, type User } from '../harness.ts'

// Not a whole second, so that rounding shows.
const start = Date.parse('2026-01-01T00:00:12.345Z')

const startWithClock = async (limit: string) => {
  const { clock, server } = await serverWithClock(start, { FORMBOX_RATE_LIMIT: limit })
  return { clock, server, ada: await server.signUp() }
}

/** What one request is told. */
const ask = async (user: User) => {
  const { status, headers } = await user.call('GET', '/forms')
  const [remaining, reset, wait] = ['x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map((name) =>
    headers.get(name) === null ? null : Number(headers.get(name)),
  )
  return { status, remaining, reset, wait }
}

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

describe('decision 10: the window', () => {
  test('starts with the first request in it and lasts 60 seconds to the millisecond', async () => {
    const { clock, ada } = await startWithClock('2')
    const reset = seconds(start + 60_000)
    expect(reset * 1000).toBe(Date.parse('2026-01-01T00:01:13Z'))
    expect(await ask(ada)).toEqual({ status: 200, remaining: 1, reset, wait: null })
    clock.now = start + 30_000
    expect(await ask(ada)).toEqual({ status: 200, remaining: 0, reset, wait: null })
    clock.now = start + 59_999
    expect(await ask(ada)).toEqual({ status: 429, remaining: 0, reset, wait: 1 })
    clock.now = start + 60_000
    expect(await ask(ada)).toEqual({ status: 200, remaining: 1, reset: seconds(start + 120_000), wait: null })
  })

  test('starts anew with the next request, however late that comes', async () => {
    const { clock, ada } = await startWithClock('2')
    await ask(ada)
    clock.now = start + 90_000
    const reset = seconds(start + 150_000)
    expect(await ask(ada)).toEqual({ status: 200, remaining: 1, reset, wait: null })
    clock.now = start + 149_999
    expect(await ask(ada)).toEqual({ status: 200, remaining: 0, reset, wait: null })
    expect(await ask(ada)).toEqual({ status: 429, remaining: 0, reset, wait: 1 })
  })

  test('is one of each key: another key’s begins with that one’s first request', async () => {
    const { clock, server, ada } = await startWithClock('1')
    const bob = await server.signUp()
    await ask(ada)
    clock.now = start + 40_000
    expect(await ask(bob)).toMatchObject({ status: 200, reset: seconds(start + 100_000) })
    clock.now = start + 60_000
    expect(await ask(ada)).toMatchObject({ status: 200 })
    expect(await ask(bob)).toMatchObject({ status: 429, wait: 40 })
  })

  test('what was not used is not carried over', async () => {
    const { clock, ada } = await startWithClock('3')
    await ask(ada)
    clock.now = start + 61_000
    const answers = [await ask(ada), await ask(ada), await ask(ada), await ask(ada)]
    expect(answers.map(({ status, remaining }) => [status, remaining])).toEqual([
      [200, 2],
      [200, 1],
      [200, 0],
      [429, 0],
    ])
  })

  test('a clock that is set back locks no one out for longer than a window', async () => {
    const { clock, ada } = await startWithClock('1')
    await ask(ada)
    clock.now = start - 3_600_000
    expect(await ask(ada)).toMatchObject({ status: 200, reset: seconds(start - 3_540_000) })
    expect(await ask(ada)).toMatchObject({ status: 429, wait: 60 })
  })
})

describe('decision 11', () => {
  test('a refused request does not count: the next window is whole', async () => {
    const { clock, ada } = await startWithClock('2')
    await ask(ada)
    await ask(ada)
    for (let refused = 0; refused < 10; refused++) expect(await ask(ada)).toMatchObject({ status: 429, remaining: 0 })
    clock.now = start + 60_000
    expect(await ask(ada)).toMatchObject({ status: 200, remaining: 1 })
  })

  test.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1000, 59],
    [58_999, 2],
    [59_000, 1],
    [59_001, 1],
    [59_999, 1],
  ])(
    '%i ms into the window, Retry-After is %i whole seconds, and then one more request passes',
    async (after, wait) => {
      const { clock, ada } = await startWithClock('1')
      await ask(ada)
      clock.now = start + after
      expect(await ask(ada)).toMatchObject({ status: 429, wait })
      clock.now += wait * 1000
      expect(await ask(ada)).toMatchObject({ status: 200 })
    },
  )

  test('the limit holds for what arrives at once, across the end of a window', async () => {
    const { clock, ada } = await startWithClock('10')
    const passed = async () =>
      (await Promise.all(Array.from({ length: 25 }, () => ask(ada)))).filter((a) => a.status === 200)
    expect(await passed()).toHaveLength(10)
    clock.now = start + 60_000
    expect(await passed()).toHaveLength(10)
  })
})

import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/base/errors.ts'
import { type EventStreams, openEventStreams } from '../../src/http/event-streams.ts'
import type { Exchange } from '../../src/http/exchange.ts'
import { afterThisTest } from '../harness.ts'
import { until } from '../until.ts'

/** Streams that look every millisecond. `commit` is what they notice. */
const open = (options: Partial<Parameters<typeof openEventStreams>[0]> = {}) => {
  let version = 0
  const reported: string[] = []
  const streams = openEventStreams({
    version: () => version,
    report: (message) => reported.push(message),
    lookMilliseconds: 1,
    ...options,
  })
  afterThisTest(streams.close)
  return { streams, reported, commit: () => version++ }
}

const connect = (streams: EventStreams, look: () => string | null, owner = 'ada') => {
  const exchange = { server: null } as unknown as Exchange
  const response = streams.open(exchange, { owner, look })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  return {
    exchange,
    cancel: () => reader.cancel(),
    async next(): Promise<string | undefined> {
      const { value } = await reader.read()
      return value && Buffer.from(value).toString()
    },
    async rest(): Promise<string> {
      let text = ''
      for (let part = await this.next(); part !== undefined; part = await this.next()) text += part
      return text
    },
  }
}

const end = 'event: end\ndata:\n\n'

describe('streams of events', () => {
  test('begin with the state, and tell when it has changed after a commit', async () => {
    const { streams, commit } = open()
    let state = 'a'
    let looks = 0
    const stream = connect(streams, () => {
      looks++
      return state
    })
    expect(await stream.next()).toBe('data: a\n\n')
    commit()
    await until(() => looks === 2, 'the stream has looked twice')
    state = 'b'
    commit()
    expect(await stream.next()).toBe('data: b\n\n')
    expect(looks).toBe(3)
  })

  test('keep only the last state for a client that does not read', async () => {
    const { streams, commit } = open()
    let looks = 0
    const stream = connect(streams, () => `${++looks}`.padStart(1000))
    await until(() => {
      commit()
      return looks > 100
    }, 'the stream has looked a hundred times')
    streams.close()
    expect((await stream.rest()).length).toBeLessThan(3 * 1100)
  })

  test('send something now and then, which a proxy takes for life', async () => {
    const { streams } = open({ beatMilliseconds: 3 })
    const stream = connect(streams, () => 'a')
    expect([await stream.next(), await stream.next(), await stream.next()]).toEqual(['data: a\n\n', ':\n\n', ':\n\n'])
  })

  test('end when the client may know no more, which may also be noticed without a commit', async () => {
    const { streams } = open({ beatMilliseconds: 3 })
    let state: string | null = 'a'
    const stream = connect(streams, () => state)
    await stream.next()
    state = null
    expect(await stream.rest()).toEndWith(end)
    expect(await stream.exchange.whenSent).toBeGreaterThan(end.length)
  })

  test('end after a while, and let the client connect again', async () => {
    const { streams } = open({ maxMilliseconds: 5, beatMilliseconds: 1 })
    expect(await connect(streams, () => 'a').rest()).not.toContain('event')
  })

  test('are so many for each owner, the newest, and so many in all', async () => {
    const { streams } = open({ maxOfOwner: 2, maxInAll: 3 })
    const [first, second] = [connect(streams, () => 'a'), connect(streams, () => 'a')]
    connect(streams, () => 'a')
    expect(await first.rest()).toEndWith(end)
    connect(streams, () => 'a', 'eve')
    expect(() => connect(streams, () => 'a', 'mary')).toThrow(AppError)
    await second.cancel()
    expect(await connect(streams, () => 'a', 'mary').next()).toBe('data: a\n\n')
  })

  test('end when the server stops, and no others begin', async () => {
    const { streams } = open()
    const stream = connect(streams, () => 'a')
    expect(await stream.next()).toBe('data: a\n\n')
    streams.close()
    expect(await stream.next()).toBeUndefined()
    expect(() => connect(streams, () => 'a')).toThrow(AppError)
  })

  test('end when the file cannot be read, which is reported once', async () => {
    const { streams, reported, commit } = open()
    let isBroken = false
    const look = () => {
      if (isBroken) throw new Error('disk I/O error')
      return 'a'
    }
    const both = [connect(streams, look), connect(streams, look)]
    isBroken = true
    commit()
    expect(await Promise.all(both.map((stream) => stream.rest()))).toEqual(['data: a\n\n', 'data: a\n\n'])
    expect(reported).toEqual([expect.stringContaining('disk I/O error')])
  })

  test('take no place if the first look fails, and look no more', async () => {
    let isBroken = true
    let versions = 0
    const version = () => {
      versions++
      if (isBroken && versions % 2 === 0) throw new Error('disk I/O error')
      return versions
    }
    const { streams } = open({ version, maxOfOwner: 1, maxInAll: 1 })
    const look = () => {
      if (isBroken) throw new Error('disk I/O error')
      return 'a'
    }
    for (let i = 0; i < 4; i++) expect(() => connect(streams, look, `owner ${i}`)).toThrow('disk I/O error')
    expect(versions).toBe(4)
    isBroken = false
    expect(await connect(streams, look).next()).toBe('data: a\n\n')
  })

  test('look for nothing while there are none', async () => {
    let looks = 0
    const { streams } = open({ version: () => looks++ })
    await connect(streams, () => 'a').cancel()
    const before = looks
    await Bun.sleep(20)
    expect(looks).toBe(before)
  })
})

import { describe, expect, test } from 'bun:test'
import { Exchange } from '../../src/http/exchange.ts'
import { BrokenOff, type StreamedFile, streamed } from '../../src/http/streamed.ts'
import { afterThisTest } from '../harness.ts'
import { stall } from '../raw-http.ts'
import { until } from '../until.ts'

const piece = Buffer.alloc(1024 * 1024, 'x')

/** Serves a file to a client that reads nothing. */
const send = async (file: Pick<StreamedFile, 'parts'> & Partial<StreamedFile>) => {
  const state = { mayRead: true, isClosed: false, reported: [] as string[], sent: undefined as number | undefined }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    idleTimeout: 30,
    fetch(request) {
      const exchange = new Exchange(request, null, {})
      const close = () => {
        state.isClosed = true
      }
      const whole = { mediaType: 'text/plain', disposition: 'attachment', close, ...file }
      const report = (error: string) => state.reported.push(error)
      const response = streamed(exchange, whole, { report, mayRead: () => state.mayRead, recheckMilliseconds: 5 })
      void exchange.whenSent?.then((bytes) => {
        state.sent = bytes
      })
      return response
    },
  })
  afterThisTest(() => server.stop(true))
  const socket = await stall(server.url.href.slice(0, -1), '/', 'Connection: close')
  return { state, socket }
}

/** Pieces without end, and when the last one was taken. */
const endless = () => {
  let takenAt = Number.POSITIVE_INFINITY
  const parts = (function* () {
    for (;;) {
      takenAt = performance.now()
      yield piece
    }
  })()
  return { parts, hasStalled: () => performance.now() - takenAt > 200 }
}

describe('a file that is sent', () => {
  test('ends when the client may no longer read it, though it reads nothing', async () => {
    const { parts, hasStalled } = endless()
    const { state, socket } = await send({ parts })
    await until(hasStalled, 'the client has all that it takes')
    expect(state.isClosed).toBe(false)
    state.mayRead = false
    await until(() => state.isClosed, 'the file is closed')
    expect(state.reported).toEqual([])
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    await closed
  })

  test('ends when the client may no longer read it, though the next part is still being looked for', async () => {
    let isAsked = false
    const next = () => {
      isAsked = true
      return new Promise<never>(() => {})
    }
    const { state } = await send({ parts: { next }, isSlow: true })
    await until(() => isAsked, 'the next part is being looked for')
    state.mayRead = false
    await until(() => state.isClosed, 'the file is closed')
    expect([state.sent, state.reported]).toEqual([0, []])
  })

  test.each([
    ['reports why it was broken off', new Error('it took too long'), ['it took too long']],
    ['keeps to itself that it was broken off on purpose', new BrokenOff('it was deleted'), []],
  ])('%s, once, and ends at once', async (_, reason, reported) => {
    const { parts, hasStalled } = endless()
    const ended = new AbortController()
    const { state } = await send({ parts, signal: ended.signal })
    await until(hasStalled, 'the client has all that it takes')
    ended.abort(reason)
    await until(() => state.isClosed, 'the file is closed')
    expect(state.reported).toEqual(reported)
  })
})

import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { AppError, issueLine } from '../../src/base/errors.ts'
import { type BodyRequest, type BodyTimes, createBodyReader, readBody, readUpload } from '../../src/http/read-body.ts'
import { afterThisTest, forThisFile } from '../harness.ts'
import { chunk } from '../raw-http.ts'
import { sendSlowly } from '../slow-sender.ts'

const url = 'http://localhost/'
const asked = (request: Request): BodyRequest => ({ request, server: null, owner: () => 'ada' })

/** A request with a body of so many bytes whose length is announced, as a server gets it. */
const announced = (length: number, contentLength = String(length)): Request =>
  new Request(url, {
    method: 'POST',
    body: new Uint8Array(length).fill(7),
    headers: { 'content-length': contentLength },
  })

/** The same in pieces and without a length. `pulled` tells how many of them were asked for. */
const streamed = (pieces: readonly number[]) => {
  const state = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const length = pieces[state.pulled]
        if (length === undefined) return controller.close()
        state.pulled++
        controller.enqueue(new Uint8Array(length).fill(state.pulled))
      },
      cancel() {
        state.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { request: new Request(url, { method: 'POST', body }), state }
}

describe('readBody', () => {
  test.each([0, 1, 9, 10])('reads %i bytes of at most 10, announced or in pieces', async (length) => {
    const whole = await readBody(asked(announced(length)), 10)
    const pieces = await readBody(asked(streamed(Array<number>(length).fill(1)).request), 10)

    expect(whole).toEqual(new Uint8Array(length).fill(7))
    expect([...(pieces as Uint8Array)]).toEqual(Array.from({ length }, (_, i) => i + 1))
  })

  test('joins tiny and large pieces in their order', async () => {
    const lengths = [1, 4095, 4096, 3, 50_000, 1, 1, 4097, 2, ...Array<number>(40).fill(4000)]
    const expected = Buffer.concat(lengths.map((length, i) => new Uint8Array(length).fill(i + 1)))

    const body = await readBody(asked(streamed(lengths).request), 1_000_000)

    expect(expected.equals(body as Uint8Array)).toBe(true)
  })

  test('lets others have their turn between pieces of one byte', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)

    await readBody(asked(streamed(Array<number>(3000).fill(1)).request), 3000)

    clearInterval(timer)
    expect(turns).toBeGreaterThan(1)
  })

  test('is empty where there is no body', async () => {
    expect(await readBody(asked(new Request(url)), 10)).toHaveLength(0)
    expect(await readBody(asked(new Request(url, { method: 'DELETE' })), 10)).toHaveLength(0)
  })

  test('refuses an announced length without reading any of it', async () => {
    const request = announced(11)

    expect(await readBody(asked(request), 10)).toBe('too large')

    expect(request.bodyUsed).toBe(false)
  })

  test('stops reading at the piece that is too many, and tells the sender so', async () => {
    const { request, state } = streamed([4, 4, 4, 4, 4, 4])

    expect(await readBody(asked(request), 10)).toBe('too large')

    expect(state).toEqual({ pulled: 3, cancelled: true })
  })

  test('reads the next piece of an upload when the one before was taken, and ends with what the taker throws', async () => {
    const { request, state } = streamed([4, 4, 4])
    const pulled: number[] = []
    const take = async (piece: Uint8Array) => {
      await Bun.sleep(1)
      pulled.push(state.pulled)
      if (piece[0] === 2) throw new AppError('unavailable', 'The disk is full')
    }
    const reading = readUpload(asked(request), 100, { take, heldBytes: () => 0 })

    await expect(reading).rejects.toThrow('The disk is full')
    expect(pulled).toEqual([1, 2])
    expect(state.cancelled).toBe(true)
  })

  test('refuses a body that breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(4))
        controller.error(new Error('the connection is gone'))
      },
    })

    const reading = readBody(asked(new Request(url, { method: 'POST', body })), 10)

    await expect(reading).rejects.toBeInstanceOf(AppError)
    await expect(reading).rejects.toMatchObject({
      code: 'invalid',
      issues: [{ field: 'body', message: 'ended before it was complete' }],
    })
  })
})

describe('the time that a body has', () => {
  /** A sixtieth of the real times: 3 seconds, half a second of pause, and 10 kB/s. */
  const times = { maxMilliseconds: 3000, graceMilliseconds: 500, minBytesPerSecond: 10_000 }

  /** A server that answers with the length of the body, or with what is wrong with it. */
  const serve = (others: Partial<BodyTimes> = {}) => {
    const read = createBodyReader({ ...times, ...others })
    const lengthened: number[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request, bun) {
        const timeout = (of: Request, seconds: number) => {
          lengthened.push(seconds)
          bun.timeout(of, seconds)
        }
        const body = await read({ request, server: { timeout }, owner: () => 'ada' }, 200_000).catch((error) => error)
        return new Response(body instanceof AppError ? body.issues.map(issueLine).join() : `${body.length}`)
      },
    })
    afterThisTest(() => server.stop(true))
    const begin = (head: string): Socket => {
      const socket = connect(server.port as number, '127.0.0.1')
      afterThisTest(() => socket.destroy())
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n\r\n`)
      return socket
    }
    return { begin, lengthened }
  }

  /** The body of the answer. */
  const answerOn = async (socket: Socket): Promise<string> => {
    let text = ''
    for await (const data of socket) {
      text += data
      if (/\r\n\r\n./.test(text)) break
    }
    return text.split('\r\n\r\n')[1] ?? ''
  }

  const tooSlow = 'body: must be sent with at least 10000 bytes a second'
  const tooLong = 'body: must be sent within 3 seconds'

  const rows: [what: string, length: number, bytesPerSecond: number, answer: string][] = [
    ['a large one that comes at twice the least speed', 40_000, 20_000, '40000'],
    ['a large one at a tenth of the least speed', 40_000, 1000, tooSlow],
    ['a large one at the least speed that is too long', 80_000, 12_000, tooLong],
    ['a small one at a fiftieth of the least speed', 400, 200, '400'],
    ['a small one that takes too long', 1000, 200, tooLong],
  ]
  const answerTo = async (length: number, bytesPerSecond: number): Promise<string> => {
    const socket = serve().begin(`Content-Length: ${length}`)
    void sendSlowly(socket, 'x'.repeat(length), bytesPerSecond)
    return answerOn(socket).finally(() => socket.destroy())
  }
  /** They take up to three seconds each: the first test sends all of them. */
  let answers: Promise<Map<string, Promise<string>>> | undefined
  const sendAll = async () =>
    new Map(rows.map(([what, length, bytesPerSecond]) => [what, answerTo(length, bytesPerSecond)]))

  test.each(rows)('is enough, or not: %s', async (what, length, bytesPerSecond, answer) => {
    answers ??= forThisFile(sendAll)
    let given = await (await answers).get(what)
    // Where this process had to wait for its turn, the visitor was slower than it was told.
    for (let again = 0; again < 3 && given !== answer; again++) given = await answerTo(length, bytesPerSecond)
    expect(given).toBe(answer)
  })

  /** Longer than this process may have to wait for its turn. */
  const plenty = { maxMilliseconds: 60_000 }

  test('is half a second and what came for a large one that pauses, however fast it began', async () => {
    const { begin } = serve(plenty)
    const socket = begin('Content-Length: 100000')
    const startedAt = performance.now()
    socket.write('x'.repeat(5000))

    expect(await answerOn(socket)).toBe(tooSlow)

    expect(performance.now() - startedAt).toBeGreaterThan(1000)
  })

  test('is measured for each that is left when one of several has come, in whichever order', async () => {
    const { begin } = serve({ ...plenty, graceMilliseconds: 1500 })
    const sockets = Array.from({ length: 5 }, () => begin('Content-Length: 100000'))
    for (const socket of sockets) socket.write('x'.repeat(5000))
    const answers = sockets.map(answerOn)
    // The one in the middle, the last and the first.
    for (const whole of [2, 4, 0]) {
      sockets[whole]?.write('x'.repeat(95_000))
      expect(await answers[whole]).toBe('100000')
    }

    expect(await Promise.all(answers)).toEqual(['100000', tooSlow, '100000', tooSlow, '100000'])
  })

  test('does not depend on an announced length where the body is small', async () => {
    const { begin } = serve(plenty)
    const socket = begin('Transfer-Encoding: chunked')
    const sending = sendSlowly(socket, chunk('x'.repeat(400)) + chunk(), 250)

    expect(await answerOn(socket)).toBe('400')

    await sending
  })

  test('lengthens the idle timeout of the connection while a slow one is read, and only then', async () => {
    const { begin, lengthened } = serve({ ...plenty, graceMilliseconds: 1000 })
    const socket = begin('Content-Length: 100')
    socket.write('x'.repeat(100))
    expect(await answerOn(socket)).toBe('100')
    expect(lengthened).toEqual([])

    const slow = begin('Content-Length: 100')
    const sending = sendSlowly(slow, 'x'.repeat(100), 100)
    expect(await answerOn(slow)).toBe('100')
    await sending
    // First by what was left of a minute.
    expect(lengthened).toEqual([expect.any(Number), 30])
    expect(lengthened[0]).toBeWithin(31, 91)
  })
})

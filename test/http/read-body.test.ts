import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import { readBody } from '../../src/http/read-body.ts'

const url = 'http://localhost/'

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
    const whole = await readBody(announced(length), 10)
    const pieces = await readBody(streamed(Array<number>(length).fill(1)).request, 10)

    expect(whole).toEqual(new Uint8Array(length).fill(7))
    expect([...(pieces as Uint8Array)]).toEqual(Array.from({ length }, (_, i) => i + 1))
  })

  test('is empty where there is no body', async () => {
    expect(await readBody(new Request(url), 10)).toHaveLength(0)
    expect(await readBody(new Request(url, { method: 'DELETE' }), 10)).toHaveLength(0)
  })

  test('refuses an announced length without reading any of it', async () => {
    const request = announced(11)

    expect(await readBody(request, 10)).toBe('too large')

    expect(request.bodyUsed).toBe(false)
  })

  test('stops reading at the piece that is too many, and tells the sender so', async () => {
    const { request, state } = streamed([4, 4, 4, 4, 4, 4])

    expect(await readBody(request, 10)).toBe('too large')

    expect(state).toEqual({ pulled: 3, cancelled: true })
  })

  test('refuses a body that breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(4))
        controller.error(new Error('the connection is gone'))
      },
    })

    const reading = readBody(new Request(url, { method: 'POST', body }), 10)

    await expect(reading).rejects.toBeInstanceOf(AppError)
    await expect(reading).rejects.toMatchObject({
      code: 'invalid',
      issues: [{ message: 'body: ended before it was complete' }],
    })
  })
})

import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { JoinedBytes, readAtMost } from '../../../src/base/joined-bytes.ts'

/** A stream of pieces of one byte, and how far it was read. */
const tinyPieces = (count: number, onHalf: () => void = () => {}) => {
  const state = { sent: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.sent === count) return controller.close()
        if (state.sent === Math.floor(count / 2)) onHalf()
        controller.enqueue(new Uint8Array([state.sent++]))
      },
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, state }
}

test('joins pieces of one byte in their order, and keeps no object for each', async () => {
  let objects = 0
  const { stream } = tinyPieces(100_000, () => {
    Bun.gc(true)
    objects = heapStats().objectTypeCounts.Uint8Array ?? 0
  })

  const bytes = await readAtMost(stream, 100_000)

  expect(Buffer.from(bytes as Uint8Array).equals(Buffer.from(Array.from({ length: 100_000 }, (_, i) => i)))).toBe(true)
  expect(objects).toBeLessThan(1000)
})

test.each([4000, 5000, 40_000])('takes about twice the memory of %i bytes', (size) => {
  const heldBytes = (): number => {
    Bun.gc(true)
    return heapStats().extraMemorySize
  }
  const before = heldBytes()
  const held = Array.from({ length: 100 }, () => {
    const joined = new JoinedBytes()
    for (let i = 0; i < size; i++) joined.add(new Uint8Array([i]))
    return joined
  })
  expect((heldBytes() - before) / held.length).toBeLessThan(2.2 * size)
})

test('ends the transfer at the piece that is too many', async () => {
  const { stream, state } = tinyPieces(100)
  expect(await readAtMost(stream, 10)).toBe('too large')
  expect(state).toEqual({ sent: 11, isCancelled: true })
})

test('puts the bytes where they are wanted', async () => {
  const into = new Uint8Array(10)
  const bytes = await readAtMost(tinyPieces(4).stream, 10, into)
  expect(bytes).toEqual(new Uint8Array([0, 1, 2, 3]))
  expect((bytes as Uint8Array).buffer).toBe(into.buffer)
  expect(await readAtMost(null, 10)).toHaveLength(0)
})

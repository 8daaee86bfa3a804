import { describe, expect, test } from 'bun:test'
import { openSearchTurns } from '../../src/submissions/search/turns.ts'

/** A client that sends its next request so many milliseconds after it was due, or after the response. */
interface Client {
  readonly everyMilliseconds: number
  /** Of processor time, for each request. */
  readonly milliseconds: number
  readonly waitsForResponse?: boolean
  /** Whether a write of the client waits for its commit whenever someone looks. */
  readonly writes?: boolean
}

/** An event loop in which one client is served, with a clock of its own, and searches in it. */
const loopWith = (client?: Client) => {
  let now = 0
  let used = 0
  let served = 0
  let due = client ? client.everyMilliseconds : Infinity
  let work = Promise.resolve()

  /** Serves what has come in by now, or comes in by then. */
  const serveUntil = (end: number): void => {
    while (client && due <= Math.max(now, end)) {
      now = Math.max(now, due) + client.milliseconds
      used += client.milliseconds
      served++
      due = (client.waitsForResponse ? now : due) + client.everyMilliseconds
      if (now >= end) break
    }
    now = Math.max(now, end)
  }
  const turns = openSearchTurns(
    { release: () => {}, turns: () => served },
    { queued: () => (client?.writes && due < Infinity ? 1 : 0) },
    {
      now: () => now,
      processorTime: () => used,
      // One timer after the other, as their times come.
      sleep: (milliseconds) => (work = work.then(() => serveUntil(now + milliseconds))),
    },
  )
  /** Reads in so many slices of a millisecond. */
  const search = async (user: string, slices: number) => {
    const turn = turns.begin(user)
    for (let slice = 0; slice < slices; slice++) {
      now++
      used++
      await turn.pause()
    }
    turn.end()
  }
  return {
    search,
    stop: () => {
      due = Infinity
    },
    now: () => now,
    served: () => served,
  }
}

const light: Client = { everyMilliseconds: 2.5, milliseconds: 0.2 }
/** Keeps the server busy for two thirds of the time. */
const eager: Client = { everyMilliseconds: 0.1, milliseconds: 0.2, waitsForResponse: true }
/** Waits for the disk, mostly. */
const writing: Client = { everyMilliseconds: 2, milliseconds: 0.1, waitsForResponse: true, writes: true }

describe('a search', () => {
  test('does not wait while no one else is there', async () => {
    const { search, now } = loopWith()
    await search('ada', 1000)
    expect(now()).toBe(1000)
  })

  test('gets at least a quarter of the time beside light traffic, also if there are several', async () => {
    const one = loopWith(light)
    await one.search('ada', 1000)
    expect(one.now()).toBeLessThan(4000)
    const four = loopWith(light)
    await Promise.all(['ada', 'bob', 'cara', 'dan'].map((user) => four.search(user, 250)))
    expect(four.now()).toBeLessThan(4000)
  })

  test.each([
    ['sends one request after the other', eager],
    ['writes all the time', writing],
  ])('takes little from a client that %s, and still goes on', async (_name, client) => {
    const { search, now, served } = loopWith(client)
    await search('ada', 1000)
    // With a slice after each 25 milliseconds.
    expect(now()).toBeLessThan(28_000)
    const most = now() / (client.everyMilliseconds + client.milliseconds)
    expect(served()).toBeGreaterThan(0.94 * most)
  })

  test('goes on at once when the others have left', async () => {
    const { search, stop, now } = loopWith(eager)
    await search('ada', 100)
    stop()
    const startedAt = now()
    await search('ada', 1000)
    expect(now() - startedAt).toBeLessThan(1050)
  })
})

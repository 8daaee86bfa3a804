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

describe('a search that waits for its turn', () => {
  const open = () => {
    const turns = openSearchTurns({ release: () => {}, turns: () => 0 }, { queued: () => 0 })
    const begun: string[] = []
    const wait = async (user: string, { until = new AbortController().signal, isLong = false } = {}) => {
      const turn = await turns.waitFor(user, { until, isLong })
      begun.push(user)
      return turn
    }
    const beginAll = (...users: string[]) => users.map((user) => turns.begin(user))
    return { turns, begun, wait, beginAll }
  }
  const busy = { code: 'rate_limited' }

  test('gets the next one before anyone who came later, or does not wait', async () => {
    const { turns, begun, wait, beginAll } = open()
    const [first, second] = beginAll('a', 'b', 'c', 'd')
    const waits = [wait('e'), wait('b'), wait('f')]
    first?.end()
    expect(() => turns.begin('g')).toThrow('Too many requests')
    await waits[0]
    expect(begun).toEqual(['e'])
    // Its own search has ended.
    second?.end()
    await waits[1]
    expect(begun).toEqual(['e', 'b'])
    ;(await waits[0])?.end()
    ;(await waits[2])?.end()
    // Each turn is given once, also if it is ended twice.
    ;(await waits[0])?.end()
    turns.begin('g')
    expect(() => turns.begin('h')).toThrow('Too many requests')
  })

  test('gives up when its time is over, and leaves its place to the next', async () => {
    const { wait, begun, beginAll } = open()
    const [first] = beginAll('a', 'b', 'c', 'd')
    const leaving = new AbortController()
    const gone = wait('e', { until: leaving.signal })
    const next = wait('f')
    leaving.abort()
    await expect(gone).rejects.toMatchObject(busy)
    await expect(wait('g', { until: AbortSignal.abort() })).rejects.toMatchObject(busy)
    first?.end()
    await next
    expect(begun).toEqual(['f'])
  })

  test('leaves a turn to searches, if it takes one after the other', async () => {
    const { turns, begun, wait } = open()
    const long = await Promise.all(['a', 'b', 'c'].map((user) => wait(user, { isLong: true })))
    const late = wait('d', { isLong: true })
    for (const user of ['e', 'f']) turns.begin(user).end()
    expect(begun).toEqual(['a', 'b', 'c'])
    long[1]?.end()
    await late
    turns.begin('e').end()
  })
})

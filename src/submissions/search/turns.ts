import { tooManyRequests } from '../../base/errors.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'

/** A search under way. */
export interface SearchTurn {
  /** Lets other requests through. Of several searches, each reads after another one of these pauses. */
  pause(): Promise<void>
  end(): void
}

export type SearchTurns = ReturnType<typeof openSearchTurns>

/** How a search waits for its turn. */
export interface Patience {
  /** When this is aborted, it waits no longer. */
  readonly until: AbortSignal
  /** Whether it takes one turn after the other, until all is read. Three of all users do, so that searches go on beside them. */
  readonly isLong?: boolean
}

/**
 * How long a request may read before its response begins: some ten million submissions. While it waits for others, it reads
 * nothing, so how busy the server is makes no difference.
 */
export const maxUnansweredMilliseconds = 25_000

/** The milliseconds after which a search hands back where it ended. Beside light traffic, it reads for all of the first ones. */
export const searchTime = { maxReadingMilliseconds: 1000, maxMilliseconds: 5000 }

/** The event loop, and the time that passes in it. */
interface Loop {
  sleep(milliseconds: number): Promise<void>
  /** Milliseconds. */
  now(): number
  /** The processor time of the server, all threads together, in milliseconds. */
  processorTime(): number
}

const serverLoop: Loop = {
  sleep: Bun.sleep,
  now: () => performance.now(),
  processorTime() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
}

const maxInAll = 4
const maxLong = 3
const retryAfterSeconds = 2
/** The pause, as long as a slice: beside light traffic, a search gets more than a third of the time. */
const pauseMilliseconds = 1
/**
 * A write takes several turns of the event loop. After pauses of two milliseconds, clients that write one after the other
 * lost a third of their rate.
 */
const longestPauseMilliseconds = 25
/**
 * Others keep the server busy above this share of the time: with one write or another that waits for its commit, or in
 * processor time. 400 reads a second take a tenth of a core, and as many writes wait for an eighth of the time on a fast
 * disk. A client that writes all the time waits for two thirds.
 */
const busyShare = 0.4
/** How much longer a pause gets with each hundredth above that. */
const millisecondsPerHundredth = 1
/** The time after which a measurement counts little. On Windows, processor time grows in steps of 16 ms. */
const memoryMilliseconds = 20

/** Bounds how many searches read submissions at the same time, and has them read in turn. */
export const openSearchTurns = (
  reader: Pick<Reader, 'release' | 'turns'>,
  writer: Pick<Writer<never>, 'queued'>,
  loop: Loop = serverLoop,
) => {
  const searchers = new Map<string, { readonly isLong: boolean }>()
  /** In the order in which they came. */
  const waiting = new Set<{ readonly userId: string; readonly isLong: boolean; readonly begin: () => void }>()
  let lastPause = Promise.resolve()
  let isAnyoneThere = false
  /** How busy others kept the server in the last pauses. */
  let share = 0

  /** Waits for a turn of the event loop. If others read something in it or in the pause before, lets them work. */
  const letOthersThrough = async (): Promise<void> => {
    const before = reader.turns()
    await loop.sleep(0)
    if (isAnyoneThere || reader.turns() > before) await letOthersWork()
    isAnyoneThere = reader.turns() > before
  }

  const letOthersWork = async (): Promise<void> => {
    const startedAt = loop.now()
    let [time, used] = [startedAt, loop.processorTime()]
    for (let milliseconds = pauseMilliseconds; milliseconds > 0; ) {
      await loop.sleep(milliseconds)
      const took = loop.now() - time
      const usedNow = loop.processorTime()
      const current = writer.queued() > 0 ? 1 : (usedNow - used) / took
      share += Math.min(1, took / memoryMilliseconds) * (current - share)
      time += took
      used = usedNow
      const wanted = Math.min(longestPauseMilliseconds, (share - busyShare) * 100 * millisecondsPerHundredth)
      milliseconds = time - startedAt < wanted ? 1 : 0
    }
  }

  const pause = (): Promise<void> => {
    // Otherwise the requests that came in meanwhile would read the state in which the search began to read.
    reader.release()
    lastPause = lastPause.then(letOthersThrough)
    return lastPause
  }

  const mayBegin = (userId: string, isLong: boolean): boolean =>
    !searchers.has(userId) &&
    searchers.size < maxInAll &&
    !(isLong && [...searchers.values()].filter((other) => other.isLong).length >= maxLong)

  const take = (userId: string, isLong: boolean): SearchTurn => {
    const own = { isLong }
    searchers.set(userId, own)
    const end = (): void => {
      if (searchers.get(userId) === own) searchers.delete(userId)
      // At once: otherwise, who does not wait would be first.
      for (const next of waiting) if (mayBegin(next.userId, next.isLong)) next.begin()
      // A search reads between turns. A request that came in meanwhile is handled before the state ends by itself.
      reader.release()
    }
    return { pause, end }
  }

  return {
    /** @throws AppError `rate_limited` while the user or four others search */
    begin(userId: string): SearchTurn {
      if (!mayBegin(userId, false)) throw busy()
      return take(userId, false)
    },

    /**
     * Waits for a turn. Who came first gets the next one.
     *
     * @throws AppError `rate_limited` if there was none in time
     */
    async waitFor(userId: string, { until, isLong = false }: Patience): Promise<SearchTurn> {
      if (mayBegin(userId, isLong)) return take(userId, isLong)
      if (until.aborted) throw busy()
      const { promise, resolve, reject } = Promise.withResolvers<SearchTurn>()
      const waiter = {
        userId,
        isLong,
        begin(): void {
          leave()
          resolve(take(userId, isLong))
        },
      }
      const giveUp = (): void => {
        leave()
        reject(busy())
      }
      const leave = (): void => {
        waiting.delete(waiter)
        until.removeEventListener('abort', giveUp)
      }
      waiting.add(waiter)
      until.addEventListener('abort', giveUp)
      return await promise
    },

    /** See `SearchTurn`. For the exports of what a search finds, which are bounded themselves. */
    pause,
  }
}

const busy = () => tooManyRequests(retryAfterSeconds, 'one search of a user can run at a time, and four of all users')

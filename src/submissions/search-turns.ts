import type { Reader } from '../db/reader.ts'
import { tooManyRequests } from '../errors.ts'

/** A search under way. */
export interface SearchTurn {
  /** Lets other requests through. Of several searches, each reads after another one of these pauses. */
  pause(): Promise<void>
  end(): void
}

export type SearchTurns = ReturnType<typeof openSearchTurns>

/**
 * How long a request may search before its answer begins: some ten million submissions. A client that hears nothing for
 * longer is disconnected.
 */
export const maxSilentMilliseconds = 25_000

const retryAfterSeconds = 2
const busyPauseMilliseconds = 20

/** Bounds how many searches read submissions at the same time, and has them read in turn. */
export const openSearchTurns = (reader: Pick<Reader, 'release' | 'turns'>, maxInAll = 4) => {
  const searchers = new Set<string>()
  let lastPause = Promise.resolve()
  let isBusy = false

  /**
   * Waits for a turn of the event loop, or for twenty milliseconds if others read something in it or in the pause before. A
   * write takes several turns: behind a search at full speed, a client that wrote one after the other got a fifth of them
   * done.
   */
  const letOthersThrough = async (): Promise<void> => {
    const before = reader.turns()
    await Bun.sleep(0)
    if (isBusy || reader.turns() > before) await Bun.sleep(busyPauseMilliseconds)
    isBusy = reader.turns() > before
  }

  const pause = (): Promise<void> => {
    // Otherwise the requests that came in meanwhile would read the state in which the search began to read.
    reader.release()
    lastPause = lastPause.then(letOthersThrough)
    return lastPause
  }

  return {
    /** @throws AppError `rate_limited` while the user or four others search */
    begin(userId: string): SearchTurn {
      if (searchers.has(userId) || searchers.size >= maxInAll)
        throw tooManyRequests(retryAfterSeconds, 'one search of a user can run at a time, and four of all users')
      searchers.add(userId)
      const end = (): void => {
        searchers.delete(userId)
        // A search reads between turns. A request that came in meanwhile is handled before the state ends by itself.
        reader.release()
      }
      return { pause, end }
    },

    /** See `SearchTurn`. For the exports of what a search finds, which are bounded themselves. */
    pause,
  }
}

import { tooManyRequests } from '../errors.ts'

/** A search under way. */
export interface SearchTurn {
  /** Lets other requests through. Of several searches, each reads after another one of these pauses. */
  pause(): Promise<void>
  end(): void
}

export type SearchTurns = ReturnType<typeof openSearchTurns>

const retryAfterSeconds = 2

/** Bounds how many searches read submissions at the same time, and has them read in turn. */
export const openSearchTurns = (maxInAll = 4) => {
  const searchers = new Set<string>()
  let lastPause = Promise.resolve()

  return {
    /** @throws AppError `rate_limited` while the user or four others search */
    begin(userId: string): SearchTurn {
      if (searchers.has(userId) || searchers.size >= maxInAll)
        throw tooManyRequests(retryAfterSeconds, 'one search of a user can run at a time, and four of all users')
      searchers.add(userId)
      return {
        pause: () => (lastPause = lastPause.then(() => new Promise(setImmediate))),
        end: () => void searchers.delete(userId),
      }
    },
  }
}

import { AppError } from '../errors.ts'

/** The state of a limit after a request. */
interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the window ends: Unix time in milliseconds. */
  readonly resetsAt: number
}

export interface RateLimiter {
  /** Counts one request for this key, unless it is refused. */
  take(key: string): Allowance
}

const minuteMilliseconds = 60_000
// Prevents an attacker with many addresses from filling the memory.
const maxWindows = 100_000

/** Fixed windows of a minute, each starting with the key's first request. A limit of 0 allows everything. */
export const createRateLimiter = (
  limit: number,
  now: () => number,
  windowMilliseconds = minuteMilliseconds,
): RateLimiter => {
  const windows = new Map<string, { count: number; resetsAt: number }>()

  // New windows are added at the end of the map, so those at the front end first.
  const open = (key: string, time: number) => {
    windows.delete(key)
    for (const [oldest, { resetsAt }] of windows) {
      if (resetsAt > time && windows.size < maxWindows) break
      windows.delete(oldest)
    }
    const opened = { count: 0, resetsAt: time + windowMilliseconds }
    windows.set(key, opened)
    return opened
  }

  return {
    take(key) {
      const time = now()
      if (limit === 0) return { allowed: true, limit, remaining: 0, resetsAt: time }
      let window = windows.get(key)
      // A window that ends too late is from before the clock was set back.
      const current = window && window.resetsAt > time && window.resetsAt <= time + windowMilliseconds
      if (!window || !current) window = open(key, time)
      const allowed = window.count < limit
      if (allowed) window.count += 1
      return { allowed, limit, remaining: limit - window.count, resetsAt: window.resetsAt }
    },
  }
}

/** Whole seconds until the window ends, at least 1. */
export const secondsUntil = (resetsAt: number, now: number): number => Math.max(1, Math.ceil((resetsAt - now) / 1000))

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', `Too many requests, retry after ${retryAfterSeconds} seconds`, { retryAfterSeconds })

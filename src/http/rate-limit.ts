import { minuteMilliseconds } from '../base/durations.ts'

/** The state of a limit after a request. */
interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** End of the window: Unix time in milliseconds. */
  readonly resetsAt: number
}

interface RateLimiter {
  /**
   * Counts one request for this key, unless it is refused.
   *
   * @param limit of this key, if it differs from that of all
   * @param count what to count it as, for a limit of something else than requests
   */
  take(key: string, limit?: number, count?: number): Allowance
  /** Takes back the last request that was counted, because it is refused for another reason. */
  putBack(key: string): void
}

interface Window {
  /** The key whose requests it counts. */
  readonly name: string
  count: number
  readonly resetsAt: number
  /** The one opened after it. */
  next: Window | undefined
}

// Prevents an attacker with many addresses from filling the memory.
const maxWindows = 100_000

/** Fixed windows of a minute, each starting with the key's first request. A limit of 0 allows everything. */
export const createRateLimiter = (
  limitOfAll: number,
  now: () => number,
  windowMilliseconds = minuteMilliseconds,
): RateLimiter => {
  const windows = new Map<string, Window>()
  // The window opened first, which ends first, and the last. Finding the first one in the map would take 70 µs: a map
  // skips everything that was deleted from its front.
  let oldest: Window | undefined
  let newest: Window | undefined

  const open = (key: string, time: number): Window => {
    windows.delete(key)
    while (oldest && (!isCurrent(oldest, time) || windows.size >= maxWindows)) {
      // Another one may have been opened for the key since.
      if (windows.get(oldest.name) === oldest) windows.delete(oldest.name)
      oldest = oldest.next
    }
    const opened: Window = { name: key, count: 0, resetsAt: time + windowMilliseconds, next: undefined }
    if (oldest && newest) newest.next = opened
    else oldest = opened
    newest = opened
    windows.set(key, opened)
    return opened
  }

  /** A window that ends too late is from before the clock was set back. */
  const isCurrent = ({ resetsAt }: Window, time: number): boolean =>
    resetsAt > time && resetsAt <= time + windowMilliseconds

  return {
    take(key, limit = limitOfAll, count = 1) {
      const time = now()
      if (limit === 0) return { allowed: true, limit, remaining: 0, resetsAt: time }
      let window = windows.get(key)
      if (!window || !isCurrent(window, time)) window = open(key, time)
      const allowed = window.count + count <= limit
      if (allowed) window.count += count
      return { allowed, limit, remaining: Math.max(0, limit - window.count), resetsAt: window.resetsAt }
    },

    putBack(key) {
      const window = windows.get(key)
      if (window && window.count > 0) window.count -= 1
    },
  }
}

/** Whole seconds until the window ends, at least 1. */
export const secondsUntil = (resetsAt: number, now: number): number => Math.max(1, Math.ceil((resetsAt - now) / 1000))

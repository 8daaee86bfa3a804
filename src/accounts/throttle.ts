/** A try that may go on, or how long to wait before the next one. */
type Try =
  | { readonly isAllowed: true; succeeded(): void }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number }

export interface Throttle {
  /** Begins a try that counts as failed for each of the keys until it is told that it succeeded. */
  begin(keys: readonly string[]): Try
}

const maxFailures = 10
const windowMilliseconds = 15 * 60 * 1000
/** Up to 100 bytes each and ten times: 4 MB at the most. */
const maxKeys = 20_000

/**
 * Refuses a key that has failed ten times in the last 15 minutes, until the first of them is longer ago. A try counts
 * from its beginning, so that many at once are no way around it; what is refused does not count.
 */
export const createThrottle = (now: () => number): Throttle => {
  const failures = new Map<string, number[]>()

  /** When the key's recent tries were, oldest first. Those of before the clock was set back do not count. */
  const recent = (key: string, time: number): number[] =>
    (failures.get(key) ?? []).filter((at) => at <= time && at > time - windowMilliseconds)

  // Goes to the end of the map, so that those at the front are the ones that are longest ago.
  const keep = (key: string, times: number[]): void => {
    failures.delete(key)
    if (times.length > 0) failures.set(key, times)
  }

  const forgetOld = (time: number): void => {
    for (const [key, times] of failures) {
      if ((times.at(-1) ?? 0) > time - windowMilliseconds && failures.size < maxKeys) break
      failures.delete(key)
    }
  }

  return {
    begin(keys) {
      const time = now()
      forgetOld(time)
      const waits = keys.map((key) => {
        const times = recent(key, time)
        return times.length < maxFailures ? 0 : (times[0] as number) + windowMilliseconds - time
      })
      const wait = Math.max(...waits)
      if (wait > 0) return { isAllowed: false, retryAfterSeconds: Math.ceil(wait / 1000) }
      for (const key of keys) keep(key, [...recent(key, time), time])
      return {
        isAllowed: true,
        succeeded() {
          for (const key of keys) {
            const times = failures.get(key)
            const position = times?.indexOf(time) ?? -1
            if (times && position >= 0) failures.set(key, times.toSpliced(position, 1))
          }
        },
      }
    },
  }
}

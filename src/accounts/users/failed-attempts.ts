import { minuteMilliseconds } from '../../base/durations.ts'
import { sha256 } from '../../base/hash.ts'

type Kind = 'account' | 'address' | 'device' | 'session'

/** An attempt that may go on, or how long to wait before the next one. */
type Attempt =
  | {
      readonly isAllowed: true
      /** How many before it count for its address, device or session: they have failed, or go on. At most nine. */
      readonly failures: number
      /** To be called if it succeeds, or if nothing could be checked. */
      takeBack(): void
    }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number }

export interface FailedAttempts {
  /** Begins an attempt that counts as failed for each of the keys until it is taken back. */
  begin(keys: CountedBy): Attempt
}

export type CountedBy = Partial<Readonly<Record<Kind, string>>>

export const maxFailures = 10

const windowMilliseconds = 15 * minuteMilliseconds
/**
 * Counts of each kind. To push one out, an attacker has to fail with this many other keys within 15 minutes. Each attempt
 * costs the check of a password: where one takes a tenth of a second and two run at once, that allows 18,000. A key takes
 * 170 bytes and an attempt of a stranger has two of them, so they take 17 MB at most.
 */
const maxKeys = 50_000

/**
 * Refuses a key that has failed ten times in the last 15 minutes, until the first failure is older than that. An attempt counts
 * from its beginning, so that many at once cannot get around the limit. An attempt that is refused does not count.
 */
export const openFailedAttempts = (now: () => number): FailedAttempts => {
  const kinds = {
    account: createFailures(),
    address: createFailures(),
    device: createFailures(),
    session: createFailures(),
  }

  return {
    begin(keys) {
      const time = now()
      const counted = Object.entries(keys).map(([kind, key]) => ({
        kind,
        failures: kinds[kind as Kind],
        key: digest(key),
      }))
      const wait = Math.max(...counted.map(({ failures, key }) => failures.wait(key, time)))
      if (wait > 0) return { isAllowed: false, retryAfterSeconds: Math.ceil(wait / 1000) }
      const own = counted.filter(({ kind }) => kind !== 'account').map(({ failures, key }) => failures.count(key, time))
      for (const { failures, key } of counted) failures.add(key, time)
      return {
        isAllowed: true,
        failures: Math.max(0, ...own),
        takeBack() {
          for (const { failures, key } of counted) failures.remove(key, time)
        },
      }
    },
  }
}

/** When the keys of one kind failed. */
const createFailures = () => {
  // A key that fails moves to the end, so that the keys at the front are those that failed longest ago.
  const timesOf = new Map<string, readonly number[]>()

  /** Oldest first. A time in the future does not count: the clock was set back since. */
  const recent = (key: string, time: number): number[] =>
    (timesOf.get(key) ?? []).filter((at) => at <= time && at > time - windowMilliseconds)

  const forgetOld = (time: number): void => {
    for (const [key, times] of timesOf) {
      if ((times.at(-1) ?? 0) > time - windowMilliseconds && timesOf.size < maxKeys) break
      timesOf.delete(key)
    }
  }

  return {
    count: (key: string, time: number): number => recent(key, time).length,

    /** Milliseconds until the next attempt. */
    wait(key: string, time: number): number {
      const times = recent(key, time)
      return times.length < maxFailures ? 0 : (times[0] as number) + windowMilliseconds - time
    },

    add(key: string, time: number): void {
      const times = [...recent(key, time), time]
      timesOf.delete(key)
      forgetOld(time)
      timesOf.set(key, times)
    },

    remove(key: string, time: number): void {
      const times = timesOf.get(key)
      const position = times?.indexOf(time) ?? -1
      if (!times || position < 0) return
      if (times.length > 1) timesOf.set(key, times.toSpliced(position, 1))
      else timesOf.delete(key)
    },
  }
}

/** Makes a long key take no more memory than a short one. */
const digest = (key: string): string => sha256(key, 'base64url')

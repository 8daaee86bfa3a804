type Kind = 'account' | 'address' | 'device' | 'session'

/** A try that may go on, or how long to wait before the next one. */
type Try =
  | {
      readonly isAllowed: true
      /** Called when it succeeded, or nothing was checked. */
      takeBack(): void
    }
  | { readonly isAllowed: false; readonly retryAfterSeconds: number }

export interface FailedTries {
  /** Begins a try that counts as failed for each of the keys until it is taken back. */
  begin(keys: Partial<Readonly<Record<Kind, string>>>): Try
}

const maxFailures = 10
const windowMilliseconds = 15 * 60 * 1000
/**
 * Of each kind. Whoever wants to push a count out has to fail with so many others in the 15 minutes, and each try costs
 * the check of a password: 18,000 where one takes a tenth of a second and two run at once. A key takes 170 bytes, so
 * that a try of a stranger, which has two, fills 17 MB at the most.
 */
const maxKeys = 50_000

/**
 * Refuses a key that has failed ten times in the last 15 minutes, until the first of them is longer ago. A try counts
 * from its beginning, so that many at once are no way around it; what is refused does not count.
 */
export const openFailedTries = (now: () => number): FailedTries => {
  const kinds = {
    account: createFailures(),
    address: createFailures(),
    device: createFailures(),
    session: createFailures(),
  }

  return {
    begin(keys) {
      const time = now()
      const counted = Object.entries(keys).map(([kind, key]) => ({ failures: kinds[kind as Kind], key: digest(key) }))
      const wait = Math.max(...counted.map(({ failures, key }) => failures.wait(key, time)))
      if (wait > 0) return { isAllowed: false, retryAfterSeconds: Math.ceil(wait / 1000) }
      for (const { failures, key } of counted) failures.add(key, time)
      return {
        isAllowed: true,
        takeBack() {
          for (const { failures, key } of counted) failures.remove(key, time)
        },
      }
    },
  }
}

/** When the keys of one kind failed. */
const createFailures = () => {
  // What is added to goes to the end, so that those at the front are the ones that are longest ago.
  const timesOf = new Map<string, readonly number[]>()

  /** Oldest first. Those of before the clock was set back do not count. */
  const recent = (key: string, time: number): number[] =>
    (timesOf.get(key) ?? []).filter((at) => at <= time && at > time - windowMilliseconds)

  const forgetOld = (time: number): void => {
    for (const [key, times] of timesOf) {
      if ((times.at(-1) ?? 0) > time - windowMilliseconds && timesOf.size < maxKeys) break
      timesOf.delete(key)
    }
  }

  return {
    /** Milliseconds until the next try. */
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

/** So that a long key takes no more memory than a short one. */
const digest = (key: string): string => new Bun.CryptoHasher('sha256').update(key).digest('base64url')

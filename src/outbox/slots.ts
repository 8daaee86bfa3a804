/** An attempt that is under way. */
export interface UnderWay {
  readonly form: number
  readonly id: string
  readonly host: string
  readonly userId: string
  /** Whether its submission has more than 64 KiB. */
  readonly isLong: boolean
}

/** How many attempts may be under way. */
export interface Limits {
  readonly maxUnderWay: number
  readonly maxPerHost: number
  /** Attempts with long messages, because each of them takes megabytes of memory. */
  readonly maxLong: number
}

type Target = Pick<UnderWay, 'host' | 'userId'>

/**
 * Counts the slots for attempts that are taken. A user may have as many as are free: one alone gets half of them, two get
 * a third each, and a latecomer always finds a free one, however slow the hosts of the others are.
 */
export const attemptSlots = ({ maxUnderWay, maxPerHost, maxLong }: Limits, underWay: readonly UnderWay[]) => {
  const taken = [...underWay]
  const ofHost = counter(taken.map(({ host }) => host))
  const ofUser = counter(taken.map(({ userId }) => userId))
  const longOfUser = counter(taken.filter(({ isLong }) => isLong).map(({ userId }) => userId))
  let long = taken.filter(({ isLong }) => isLong).length

  return {
    isFree: ({ host, userId }: Target): boolean =>
      ofHost.of(host) < maxPerHost && ofUser.of(userId) < maxUnderWay - taken.length,
    isFreeForLong: ({ userId }: Target): boolean => longOfUser.of(userId) < maxLong - long,
    take(one: UnderWay): void {
      taken.push(one)
      ofHost.add(one.host)
      ofUser.add(one.userId)
      if (!one.isLong) return
      longOfUser.add(one.userId)
      long++
    },
    ofHost: ofHost.of,
    ofUser: ofUser.of,
  }
}

const counter = (names: readonly string[]) => {
  const counts = new Map<string, number>()
  const of = (name: string): number => counts.get(name) ?? 0
  const add = (name: string): void => void counts.set(name, of(name) + 1)
  names.forEach(add)
  return { of, add }
}

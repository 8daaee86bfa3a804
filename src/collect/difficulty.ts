import { minuteMilliseconds } from '../durations.ts'
import { createRateLimiter } from '../http/rate-limit.ts'

/** About 66,000 hashes for the 32 puzzles of a challenge (docs/collecting.md says how long that takes). */
export const easiestBits = 11
export const hardestBits = easiestBits + 4

const windowMilliseconds = 10 * minuteMilliseconds
/** Challenges in a window before the next ones are harder. */
const freeChallenges = 20

/**
 * How hard the next challenge for an address is. One that asks for more than 20 in ten minutes, as only robots and large
 * offices do, has twice the work with each doubling, up to 16 times. Nobody is refused. Memory is bounded as for the
 * rate limits.
 */
export const openDifficulty = (now: () => number): ((address: string) => number) => {
  // Counts, and refuses nobody.
  const counter = createRateLimiter(Number.MAX_SAFE_INTEGER, now, windowMilliseconds)
  return (address) => {
    const { limit, remaining } = counter.take(address)
    const doublings = Math.ceil(Math.log2((limit - remaining) / freeChallenges))
    return Math.min(easiestBits + Math.max(0, doublings), hardestBits)
  }
}

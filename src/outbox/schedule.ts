import {
  dayMilliseconds as day,
  hourMilliseconds as hour,
  minuteMilliseconds as minute,
  secondMilliseconds as second,
} from '../base/durations.ts'

/** Waiting times before the second and each further attempt: the schedule that Standard Webhooks 1.0.0 recommends. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, day]

/** The longest wait that a receiver may ask for, and longer than any of ours with its jitter. */
export const maxDelayMilliseconds = 30 * hour

/** A receiver is switched off after it has done nothing but fail for this long. */
export const patienceMilliseconds = 5 * day

/**
 * How long to wait after this many attempts, in milliseconds: up to a tenth more than the schedule says, so that what
 * failed together is not tried again together. At least as long as the receiver asked for.
 *
 * @param attempts at least 1
 * @param random from 0 to 1
 * @returns null after the last attempt
 */
export const delayAfter = (attempts: number, random: number, askedMilliseconds: number | null): number | null => {
  const delay = delays[attempts - 1]
  if (delay === undefined) return null
  const ours = Math.round(delay * (1 + random / 10))
  return Math.min(Math.max(ours, askedMilliseconds ?? 0), maxDelayMilliseconds)
}

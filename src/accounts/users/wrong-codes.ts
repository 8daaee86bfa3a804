import { dayMilliseconds, minuteMilliseconds } from '../../base/durations.ts'

/**
 * When codes of the app were wrong, in Unix milliseconds, by the one who typed them: the strangers, or the hash of a browser
 * or session.
 */
export type WrongCodes = Readonly<Record<string, readonly number[]>>

/** All who type a code where the account has not signed in before. */
export const strangers = 'strangers'

/**
 * The limits for wrong codes: those for wrong passwords, and 30 in a day. Three of a million codes are right at any
 * time: with ten tries in 15 minutes alone, anyone who knows the password would get in within a year with a probability
 * of two thirds. With this limit, it is a thirtieth.
 */
const limits = [
  { most: 10, milliseconds: 15 * minuteMilliseconds },
  { most: 30, milliseconds: dayMilliseconds },
]

/** Browsers and sessions whose wrong codes are kept. Each of them has signed in with a right one. */
const maxGuessers = 100

/** Milliseconds until the next code is looked at; 0 if it may be now. */
export const waitAfter = (wrong: WrongCodes, guesser: string, now: number): number =>
  Math.max(
    ...limits.map(({ most, milliseconds }) => {
      const first = recent(wrong[guesser], now, milliseconds).at(-most)
      return first === undefined ? 0 : first + milliseconds - now
    }),
  )

export const withWrong = (wrong: WrongCodes, guesser: string, now: number): WrongCodes => {
  const { [guesser]: own, ...others } = wrong
  const kept = Object.entries(others).filter(([, times]) => recent(times, now).length > 0)
  const newest = kept.filter(([name], i) => name === strangers || i > kept.length - maxGuessers)
  return { ...Object.fromEntries(newest), [guesser]: [...recent(own, now), now] }
}

/**
 * The clocks of two machines differ by seconds, so some may be ahead. Those far ahead were written before the clock was set
 * back.
 */
const recent = (times: readonly number[] = [], now: number, milliseconds = dayMilliseconds): readonly number[] =>
  times.filter((at) => Math.abs(now - at) < milliseconds)

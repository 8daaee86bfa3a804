import { minuteMilliseconds } from '../../base/durations.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { newToken } from '../../base/token.ts'

export interface SetupToken {
  readonly value: string
  /** False once its 30 minutes are over. Compares in constant time. */
  matches(text: string): boolean
}

const lifetimeMilliseconds = 30 * minuteMilliseconds

/**
 * Lets only those who see the server's output create the first account.
 *
 * @param value no one else may be able to guess it; random if it is not given
 * @param now monotonic, in milliseconds: a machine without a clock of its own gets the time from the network after the start
 */
export const newSetupToken = (value = newToken(), now = () => performance.now()): SetupToken => {
  const expiresAt = now() + lifetimeMilliseconds
  return {
    value,
    matches: (text) => secureCompare(text, value) && now() < expiresAt,
  }
}

import { secureCompare } from '../secure-compare.ts'

export interface SetupToken {
  readonly value: string
  /** False once its 30 minutes are over. Compares in constant time. */
  matches(text: string): boolean
}

const lifetimeMilliseconds = 30 * 60 * 1000

/** Lets only those who see the server's output create the first account. */
export const newSetupToken = (now: () => number): SetupToken => {
  const value = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  const expiresAt = now() + lifetimeMilliseconds
  return {
    value,
    matches: (text) => secureCompare(text, value) && now() < expiresAt,
  }
}

import { secureCompare } from '../secure-compare.ts'

export interface SetupToken {
  readonly value: string
  /** Compares in constant time. False from the end of its 30 minutes on. */
  matches(text: string): boolean
}

const lifetimeMilliseconds = 30 * 60 * 1000

/** Lets whoever sees the server's output, and nobody else, make the first account. */
export const newSetupToken = (now: () => number): SetupToken => {
  const value = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  const expiresAt = now() + lifetimeMilliseconds
  return {
    value,
    matches: (text) => secureCompare(text, value) && now() < expiresAt,
  }
}

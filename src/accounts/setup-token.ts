import { timingSafeEqual } from 'node:crypto'

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
    // Hashes are of one length, which `timingSafeEqual` asks for.
    matches: (text) => timingSafeEqual(digest(text), digest(value)) && now() < expiresAt,
  }
}

const digest = (text: string): Buffer => new Bun.CryptoHasher('sha256').update(text).digest() as Buffer

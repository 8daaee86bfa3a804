import { invalid } from '../errors.ts'

// A client that got no answer cannot know whether its request was carried out. If it names the request with an
// `Idempotency-Key`, it may send it again: within 24 hours it is carried out once, and answered as before. This follows
// draft-ietf-httpapi-idempotency-key-header and https://docs.stripe.com/api/idempotent_requests, except for the statuses
// (400 instead of 422, 503 instead of 409). Only success is kept: after any error, a request is a first one.

export const keyName = 'Idempotency-Key'

/** A request with a key, as commands see it. */
export interface Once {
  /** Hash of the key and whose it is; before it, the time with which the key begins, if it does. */
  readonly keyHash: string
  /**
   * Hash of what was asked for (section "Idempotency Fingerprint" of the draft). The key is part of it: nobody who has
   * only the data file can find out by trying what was sent, not even after it was deleted.
   */
  readonly fingerprint: string
  /** When it arrived, as Unix milliseconds. */
  readonly at: number
}

/** The same for a store, which says whether it was carried out before. */
export interface Repeatable {
  readonly once: Once
  /** Called if it was: what the store returns is the result of the first request. */
  onRepeat(): void
}

/** What is known of the first request with a key. */
export interface First {
  /** What was kept of it, to answer a repeat; null if it asked for something else. */
  readonly result: string | null
}

interface Named {
  /** Whose key it is: nobody else's means the same. Without line breaks, as is the key. */
  readonly scope: string
  readonly key: string
  /** What is asked for. */
  readonly content: string
  /** Whether other content makes another name, so that the same key may be used for it. */
  readonly isNamedByContent?: boolean
  readonly at: number
}

export const nameRequest = ({ scope, key, content, isNamedByContent = false, at }: Named): Once => {
  const name = `${scope}\n${key}\n`
  const fingerprint = hashOf(name + content)
  return { keyHash: timeIn(key) + (isNamedByContent ? fingerprint : hashOf(name)), fingerprint, at }
}

/**
 * Unix time in milliseconds, if the key begins with it or is a UUID of version 7 (RFC 9562 section 5.7). Rows of about the
 * same time are then together in the file: among a million others, a row cost the writer 6 µs instead of 26, most of
 * them for a page of its own in SQLite's log.
 */
const timeIn = (key: string): string => {
  const digits = /^1\d{12}/.exec(key)?.[0]
  if (digits) return digits
  const [, high, low] = /^"?([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(key) ?? []
  return high === undefined ? '' : String(Number.parseInt(`${high}${low}`, 16)).padStart(13, '0')
}

/** 132 bits of SHA-256, which nobody finds twice. */
export const hashOf = (content: string | Uint8Array): string =>
  Bun.CryptoHasher.hash('sha256', content, 'base64url').slice(0, 22)

/**
 * What was kept of the first request with the key; undefined if there is none.
 *
 * @throws AppError `invalid` if it asked for something else
 */
export const keptResult = (first: First | undefined, repeatable: Repeatable | undefined): string | undefined => {
  if (!first) return undefined
  if (first.result === null)
    throw invalid({ field: keyName, message: 'must be new: it was used for another request in the last 24 hours' })
  repeatable?.onRepeat()
  return first.result
}

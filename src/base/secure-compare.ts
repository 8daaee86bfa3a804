import { sha256Bytes } from './hash.ts'

/**
 * Whether two texts, of which one is a secret, are the same. How long it takes tells nothing about the secret, not even
 * its length: hashes are compared.
 */
export const secureCompare = (text: string, other: string): boolean =>
  crypto.timingSafeEqual(sha256Bytes(text), sha256Bytes(other))

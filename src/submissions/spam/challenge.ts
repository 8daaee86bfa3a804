import { hourMilliseconds } from '../../base/durations.ts'
import { sha256Bytes } from '../../base/hash.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { sign } from '../../storage/secrets/signing-key.ts'
import { type SpentChallenge, unsolved } from './challenge-writes.ts'

// Written by hand, because ALTCHA's widget does not run on a page of another origin with a strict content security policy,
// which is where forms are. Its library would not make the rest shorter: it accepts a solution twice.

/**
 * Small puzzles instead of a large one. The time for a large one varies so much that one visitor in a hundred would wait
 * 4.6 times as long as the average; with 32 it is 1.5 times.
 */
export const puzzles = 32

export const lifetimeMilliseconds = hourMilliseconds

interface Made {
  /** From `openSigningKey`. */
  readonly key: Uint8Array
  readonly formId: string
  /** Zero bits at the start of each hash: 1 to 31. A puzzle takes 2 to this power attempts on average. */
  readonly bits: number
  /** 16 random bytes as base64url. */
  readonly random: string
  /** Unix time in milliseconds. */
  readonly now: number
}

/** A challenge: `expiry.bits.random.signature`. It contains everything to check it, so nothing is stored for it. */
export const newChallenge = ({ key, formId, bits, random, now }: Made): string => {
  const claims = `${(now + lifetimeMilliseconds).toString(36)}.${bits}.${random}`
  return `${claims}.${sign(key, 'challenge', `${formId}:${claims}`)}`
}

/**
 * Checks a solution: the challenge and a nonce for each puzzle, all joined by dots, nonces in base 36. Puzzle `i` is
 * solved if the SHA-256 of the signature (43 bytes), `i` (one byte) and the nonce (four bytes, big-endian) starts with
 * as many zero bits as the challenge asks for.
 *
 * @returns the challenge to spend, so that it does not work twice
 * @throws AppError `unsolved`
 */
export const checkSolution = (
  solution: string,
  { key, formId, now }: Omit<Made, 'bits' | 'random'>,
): SpentChallenge => {
  const [, claims = '', expiry = '', bits = '', random = '', signature = '', nonces = ''] = pattern.exec(solution) ?? []
  if (claims === '') throw unsolved('must be a challenge of this form with its solution')
  if (!secureCompare(signature, sign(key, 'challenge', `${formId}:${claims}`)))
    throw unsolved('must be a challenge of this form')
  const expiresAt = Number.parseInt(expiry, 36)
  if (expiresAt <= now) throw unsolved('must not be older than an hour')
  if (!isSolved(signature, Number(bits), nonces.slice(1).split('.'))) throw unsolved('must be solved')
  return { random, expiresAt }
}

const pattern = /^(([0-9a-z]{1,10})\.(\d{1,2})\.([\w-]{22}))\.([\w-]{43})((?:\.[0-9a-z]{1,7}){32})$/

const isSolved = (signature: string, bits: number, nonces: readonly string[]): boolean => {
  const message = Buffer.alloc(48, signature, 'latin1')
  return nonces.every((nonce, puzzle) => {
    message[43] = puzzle
    message.writeUInt32BE(Number.parseInt(nonce, 36) % 2 ** 32, 44)
    return sha256Bytes(message).readUInt32BE() < 2 ** (32 - bits)
  })
}

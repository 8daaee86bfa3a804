import type { Receiver } from './receivers.ts'

const prefix = 'whsec_'

/** A secret of Standard Webhooks 1.0.0, which allows 24 to 64 bytes: `whsec_` and base64 of 32 random bytes. */
export const newSecret = (): string => toSecret(crypto.getRandomValues(new Uint8Array(32)))

/**
 * The secret of a webhook that a command creates: commands draw nothing random themselves.
 *
 * @param seed at least 128 random bits that nobody else knows
 */
export const derivedSecret = (seed: string, webhookId: string): string =>
  toSecret(new Bun.CryptoHasher('sha256').update(JSON.stringify([seed, webhookId])).digest())

const toSecret = (bytes: Uint8Array): string => prefix + bytes.toBase64()

/** The key to sign with. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64')

/** For so long, the secret before a rotation signs as well. */
export const rotationMilliseconds = 24 * 3_600_000

/** The secrets that sign at this time: the current one, and after a rotation the one before it. */
export const validSecrets = (
  { secret, oldSecret, oldSecretUntil }: Pick<Receiver, 'secret' | 'oldSecret' | 'oldSecretUntil'>,
  now: number,
): string[] =>
  [secret, oldSecretUntil !== null && now < oldSecretUntil ? oldSecret : null].filter((one) => one !== null)

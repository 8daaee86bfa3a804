import { dayMilliseconds } from '../base/durations.ts'
import { sha256Bytes } from '../base/hash.ts'

const prefix = 'whsec_'

/** A secret of Standard Webhooks 1.0.0, which allows 24 to 64 bytes: `whsec_` and base64 of 32 random bytes. */
export const newSecret = (): string => toSecret(crypto.getRandomValues(new Uint8Array(32)))

/**
 * The secret of a webhook that a command creates: commands draw nothing random themselves.
 *
 * @param seed at least 128 random bits that no one else knows
 */
export const derivedSecret = (seed: string, webhookId: string): string =>
  toSecret(sha256Bytes(JSON.stringify([seed, webhookId])))

const toSecret = (bytes: Uint8Array): string => prefix + bytes.toBase64()

export const secretInWords = 'whsec_ and the Base64 of 24 to 64 bytes'

/** Whether someone else could have made this secret: Standard Webhooks 1.0.0 says so. */
export const isSecret = (text: string): boolean =>
  /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) &&
  isBetween(keyOf(text).length, 24, 64)

const isBetween = (value: number, least: number, most: number): boolean => value >= least && value <= most

/** The key to sign with. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64')

/** How long a secret that was replaced signs as well. */
export const rotationMilliseconds = dayMilliseconds

/** A secret that was replaced, and the first millisecond at which it signs no more. */
interface OldSecret {
  readonly secret: string
  readonly until: number
}

/** A message is signed with each of them. */
const maxOldSecrets = 2

/** The former secrets after one more was replaced, in whose favour the oldest may have to go. @param stored JSON array */
export const withOldSecret = (stored: string, old: OldSecret): string =>
  JSON.stringify([old, ...(JSON.parse(stored) as OldSecret[])].slice(0, maxOldSecrets))

/** The secrets that sign at this time: the current one, and those that were replaced lately. */
export const validSecrets = (
  { secret, oldSecrets }: { readonly secret: string | null; readonly oldSecrets: string },
  now: number,
): string[] => {
  const old = (JSON.parse(oldSecrets) as OldSecret[]).filter(({ until }) => now < until)
  return [...(secret === null ? [] : [secret]), ...old.map((one) => one.secret)]
}

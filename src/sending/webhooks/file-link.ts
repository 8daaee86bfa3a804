import { dayMilliseconds } from '../../base/durations.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { sign } from '../../storage/secrets/signing-key.ts'

/** A file of a submission. Another form may have one with the same identifier, if submissions were copied to it. */
interface LinkedFile {
  readonly formId: string
  readonly fileId: string
}

/**
 * The address at which the receiver of a webhook reads a file, without a key, for 24 hours.
 *
 * @param key of `openSigningKey`
 * @param now Unix time in milliseconds
 */
export const fileLink = (publicUrl: string, key: Uint8Array, { formId, fileId }: LinkedFile, now: number): string => {
  const expires = Math.floor((now + dayMilliseconds) / 1000)
  const signature = `${formId}.${sign(key, 'file', `${formId}.${fileId}.${expires}`)}`
  return `${publicUrl}/files/${fileId}?expires=${expires}&signature=${signature}`
}

/** Parts of such an address, as they arrived. */
interface Link {
  readonly fileId: string
  readonly expires: unknown
  readonly signature: unknown
}

/** The file that such an address names. `invalid` if this server did not make it. Reads nothing but the key. */
export const readFileLink = (
  { fileId, expires, signature }: Link,
  key: Uint8Array,
  now: number,
): LinkedFile | 'expired' | 'invalid' => {
  const [, formId = '', signed] =
    typeof signature === 'string' ? (/^([0-9a-z]{1,64})\.([\w-]{43})$/.exec(signature) ?? []) : []
  if (signed === undefined || typeof expires !== 'string' || !/^\d{1,15}$/.test(expires) || !/^\w{1,64}$/.test(fileId))
    return 'invalid'
  if (!secureCompare(signed, sign(key, 'file', `${formId}.${fileId}.${expires}`))) return 'invalid'
  return now < Number(expires) * 1000 ? { formId, fileId } : 'expired'
}

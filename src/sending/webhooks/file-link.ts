import { dayMilliseconds } from '../../base/durations.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { linkedFilePath } from '../../config/addresses.ts'
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
  return `${publicUrl}${linkedFilePath(fileId)}?expires=${expires}&signature=${signature}`
}

/** Parts of such an address, as they arrived. */
interface Link {
  readonly fileId: string
  readonly expires: unknown
  readonly signature: unknown
}

/** Whether such an address works. It is `invalid` if this server did not make it. */
type ReadLink =
  | ({ readonly state: 'valid' } & LinkedFile)
  | { readonly state: 'expired' }
  | { readonly state: 'invalid' }

/** Finds the file that such an address names. Reads nothing but the key. */
export const readFileLink = ({ fileId, expires, signature }: Link, key: Uint8Array, now: number): ReadLink => {
  const [, formId = '', signed] =
    typeof signature === 'string' ? (/^([0-9a-z]{1,64})\.([\w-]{43})$/.exec(signature) ?? []) : []
  if (signed === undefined || typeof expires !== 'string' || !/^\d{1,15}$/.test(expires) || !/^\w{1,64}$/.test(fileId))
    return { state: 'invalid' }
  if (!secureCompare(signed, sign(key, 'file', `${formId}.${fileId}.${expires}`))) return { state: 'invalid' }
  return now < Number(expires) * 1000 ? { state: 'valid', formId, fileId } : { state: 'expired' }
}

import { secureCompare } from '../../base/secure-compare.ts'
import { confirmPath } from '../../config/addresses.ts'
import { sign } from '../../storage/secrets/signing-key.ts'

/** A submission that a link is about. */
export interface Linked {
  readonly formId: string
  readonly submissionId: string
}

/** The address of the page that confirms the address of a submission. @param key of `openSigningKey` */
export const confirmLink = (publicUrl: string, key: Uint8Array, { formId, submissionId }: Linked): string => {
  const linked = `${formId}.${submissionId}`
  return `${publicUrl}${confirmPath(`${linked}.${sign(key, 'confirm', linked)}`)}`
}

/** Finds the submission that the last part of such an address names; null if the server did not make it. */
export const findLinked = (token: string, key: Uint8Array): Linked | null => {
  const [, formId, submissionId, signature] = /^([0-9a-z]{28})\.([0-9a-z]{28})\.([\w-]{43})$/.exec(token) ?? []
  if (formId === undefined || submissionId === undefined || signature === undefined) return null
  return secureCompare(signature, sign(key, 'confirm', `${formId}.${submissionId}`)) ? { formId, submissionId } : null
}

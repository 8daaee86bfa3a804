import { confirmPath } from '../../config/addresses.ts'
import { sign } from '../../storage/secrets/signing-key.ts'

/** A submission that a link is about. */
interface Linked {
  readonly formId: string
  readonly submissionId: string
}

/** The address of the page that confirms the address of a submission. @param key of `openSigningKey` */
export const confirmLink = (publicUrl: string, key: Uint8Array, { formId, submissionId }: Linked): string => {
  const linked = `${formId}.${submissionId}`
  return `${publicUrl}${confirmPath(`${linked}.${sign(key, 'confirm', linked)}`)}`
}

import type { UserReads } from '../../accounts/users/user-reads.ts'
import { AppError, notFound } from '../../base/errors.ts'
import type { Form } from '../../forms/form.ts'
import type { Reporter } from '../../http/error-response.ts'
import type { Exchange } from '../../http/exchange.ts'
import { fileAnswer } from '../../http/file-answer.ts'
import { readFileLink } from '../../sending/webhooks/file-link.ts'
import type { FileReads } from '../../submissions/files/file-reads.ts'

export interface LinkedFileOptions {
  readonly fileReads: FileReads
  readonly findForm: (id: string) => Form | undefined
  readonly userReads: Pick<UserReads, 'findUserById'>
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
  readonly report: Reporter
}

/** `/files/:fileId`: a file of a submission, for anyone who got its address from a webhook. */
export const linkedFile = ({ fileReads, findForm, userReads, signingKey, now, report }: LinkedFileOptions) => {
  /** Finds a file while its submission is in the inbox, the form exists, and its owner may sign in. */
  const find = (formId: string, fileId: string) => {
    const form = findForm(formId)
    if (!form || userReads.findUserById(form.userId ?? '')?.disabledAt !== null) return undefined
    return fileReads.findAll(fileId).find((file) => file.formId === formId && file.list === 0)
  }

  /**
   * Refuses an address that does not work with 403, before it looks for the file. So 404 means that the file is gone, and a
   * receiver need not ask again.
   */
  return async (exchange: Exchange, fileId: string, query: Readonly<Record<string, unknown>>): Promise<Response> => {
    const { expires, signature } = query
    const named = readFileLink({ fileId, expires, signature }, await signingKey(), now())
    if (named.state === 'expired') throw new AppError('forbidden', 'This address has expired')
    if (named.state === 'invalid') throw new AppError('forbidden', 'This address is not valid')
    const file = find(named.formId, named.fileId)
    if (!file) throw notFound('File')
    return fileAnswer(exchange, { file, bytesOf: fileReads.bytesOf }, { report, mayRead: () => true })
  }
}

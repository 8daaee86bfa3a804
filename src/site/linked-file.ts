import { AppError, notFound } from '../base/errors.ts'
import { linkedFilePath, type ParamsOf } from '../config/addresses.ts'
import { fileAnswer } from '../http/file-answer.ts'
import { readFileLink } from '../sending/webhooks/file-link.ts'
import type { PageOptions } from './page-options.ts'
import type { Visit } from './visit.ts'

type LinkParams = ParamsOf<typeof linkedFilePath.route>

/** `/files/:fileId`: a file of a submission, for anyone who got its address from a webhook. */
export const linkedFileRoutes = ({
  pages: { visitorPage },
  fileReads,
  findForm,
  userReads,
  signingKey,
  now,
  report,
}: PageOptions) => {
  /** Finds a file while its submission is in the inbox, the form exists, and its owner may sign in. */
  const find = (formId: string, fileId: string) => {
    const form = findForm(formId)
    if (!form || userReads.findUserById(form.userId ?? '')?.disabledAt !== null) return undefined
    return fileReads.findAll(fileId).find((file) => file.formId === formId && file.list === 0)
  }

  const on = {
    /**
     * Refuses an address that does not work with 403, before it looks for the file. So 404 means that the file is gone, and
     * a receiver need not ask again.
     */
    async download({ exchange, params: { fileId }, query }: Visit<LinkParams>): Promise<Response> {
      const { expires, signature } = query
      const named = readFileLink({ fileId, expires, signature }, await signingKey(), now())
      if (named.state === 'expired') throw new AppError('forbidden', 'This address has expired')
      if (named.state === 'invalid') throw new AppError('forbidden', 'This address is not valid')
      const file = find(named.formId, named.fileId)
      if (!file) throw notFound('File')
      return fileAnswer(exchange, { file, readPiece: fileReads.readPiece }, { report, mayRead: () => true })
    },
  }

  return [visitorPage(linkedFilePath, on.download)]
}

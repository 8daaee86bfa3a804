import { type ParamsOf, sentFilePath, spamFilePath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { type Html, html } from '../html/html.ts'
import { fileAnswer, thumbnailKind } from '../http/file-answer.ts'
import type { StoredFile } from '../submissions/files/file-reads.ts'
import { contradicts, disagrees, kindWords } from '../submissions/files/kind.ts'
import { fileFacts, type SentFile } from '../submissions/files/sent-file.ts'
import type { FileStore } from '../submissions/files/store.ts'
import { cellText } from '../submissions/lines.ts'
import { type ListName, reachedAs } from '../submissions/lists.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import type { PageOptions } from './page-options.ts'
import type { UserVisit } from './visit.ts'

type FileParams = ParamsOf<typeof sentFilePath.route>

/** `/forms/:formId/submissions/:submissionId/files/:fileId`, and the same under `spam`: a file, to be saved or as a thumbnail. */
export const sentFilesRoutes = ({ pages: { userPage }, access, files, fileReads, sessions, report }: PageOptions) => {
  const downloadFrom =
    (list: ListName) =>
    ({ exchange, session, params }: UserVisit<FileParams>): Response => {
      const form = access.findFormTo('read', session.userId, params.formId)
      const file = files.findFile(form, list, params.submissionId, params.fileId)
      return fileAnswer(
        exchange,
        { file, bytesOf: fileReads.bytesOf },
        { report, mayRead: () => sessions.isLive(session) && !access.isShutOut(session.userId, params.formId) },
      )
    }

  return [userPage(sentFilePath, downloadFrom('inbox')), userPage(spamFilePath, downloadFrom('spam'))]
}

const pathsIn = { inbox: sentFilePath, spam: spamFilePath }

/** The files of one submission. */
export interface SubmissionFiles {
  readonly stored: readonly StoredFile[]
  /** The path of a file. */
  readonly pathOf: (fileId: string) => string
}

export const submissionFiles = (
  files: FileStore,
  { form, list, submission }: FilesOf,
  fields: readonly SubmittedField[],
): SubmissionFiles => ({
  // As an import does: what does not say this has no files.
  stored: fields.some(({ json }) => json.includes('"file"')) ? files.listFiles(form, list, submission) : [],
  pathOf: (fileId) => pathsIn[reachedAs(list)](form.id, submission, fileId),
})

interface FilesOf {
  readonly form: FormTo<'read'>
  readonly list: ListName
  /** Its identifier. */
  readonly submission: string
}

/** More than a telephone's photo has. A page that shows larger ones would load for minutes. */
const maxThumbnailBytes = 10 * 1024 * 1024

/**
 * A file as a link that saves it: with a small picture if it is one, else with its extension.
 *
 * @param of the field that it is of; empty if that need not be said
 */
export const storedFile = (sent: SentFile, { stored, pathOf }: SubmissionFiles, of = ''): Html => {
  const name = cellText(sent.filename) || 'Unnamed file'
  const file = stored.find(({ id }) => id === sent.file)
  const facts = html`${of !== '' && html`<bdi>${of}</bdi>: `}${fileFacts(sent)}`
  if (!file)
    return html`${extensionOf(sent)}<bdi>${name}</bdi> <small>${facts}, <span class="none">is not here</span></small>`
  const href = pathOf(file.id)
  const hasThumbnail = thumbnailKind(file) !== undefined && file.size <= maxThumbnailBytes
  return html`${
    hasThumbnail
      ? html`<img class="thumbnail" src="${href}" alt="" width="48" height="48" loading="lazy" decoding="async">`
      : extensionOf(sent)
  }<a class="open" href="${href}" download><bdi>${name}</bdi></a> <small>${facts}${
    disagrees(file.name, file.type, file.kind) &&
    html`, <span class="contradiction">says ${claimOf(file)}, is ${kindWords(file.kind)}</span>`
  }</small>`
}

const extensionOf = ({ filename }: SentFile): Html =>
  html`<span class="thumbnail" aria-hidden="true">${/\.([a-z0-9]{1,4})$/i.exec(filename)?.[1]?.toUpperCase() ?? 'File'}</span>`

/** The extension or media type that the bytes contradict. */
const claimOf = ({ name, type, kind }: StoredFile): string => {
  const extension = /\.[a-z0-9]{1,5}$/i.exec(name)?.[0] ?? ''
  return contradicts(extension.toLowerCase(), kind) ? extension.slice(1).toUpperCase() : cellText(type)
}

import { invalid } from '../../base/errors.ts'
import type { Size } from './staged.ts'

const maxSubmissions = 1_000_000
const maxMebibytes = 512

/** Whether an import of this size is taken while a server runs. Its rows are in the data file twice for a while. */
export const isTaken = ({ count, bytes }: Size): boolean =>
  count <= maxSubmissions && bytes <= maxMebibytes * 1024 * 1024

export const tooMuch = `has more than ${maxSubmissions} submissions or ${maxMebibytes} MiB of them`

const maxArchiveGibibytes = 2

/**
 * What is in the data file twice for a while, too; and blanks between submissions, of which an archive of a megabyte may have
 * a gigabyte. @throws AppError `invalid` if a server does not take so many bytes of them
 */
export const refuseLargeArchive = (archive: { readonly submissionBytes: number; readonly fileBytes: number }): void => {
  for (const [what, bytes] of [
    ['files', archive.fileBytes],
    ['submissions', archive.submissionBytes],
  ] as const)
    if (bytes > maxArchiveGibibytes * 1024 ** 3)
      throw invalid({
        message: `has ${what} of more than ${maxArchiveGibibytes} GiB, the most through the site and the API; split it, or use formbox import`,
      })
}

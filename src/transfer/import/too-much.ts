import { invalid } from '../../base/errors.ts'
import type { Size } from './staged.ts'

const maxSubmissions = 1_000_000
const maxMebibytes = 512

/** Whether an import of this size is taken while a server runs. Its rows are in the data file twice for a while. */
export const isTaken = ({ count, bytes }: Size): boolean =>
  count <= maxSubmissions && bytes <= maxMebibytes * 1024 * 1024

export const tooMuch = `has more than ${maxSubmissions} submissions or ${maxMebibytes} MiB of them`

const maxFileGibibytes = 2

/** Files are in the data file twice for a while, too. @throws AppError `invalid` if a server does not take so many bytes of them */
export const refuseManyFiles = (fileBytes: number): void => {
  if (fileBytes > maxFileGibibytes * 1024 ** 3)
    throw invalid({
      message: `has files of more than ${maxFileGibibytes} GiB, the most through the site and the API; split it, or use formbox import`,
    })
}

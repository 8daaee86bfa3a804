import { invalid } from '../../base/errors.ts'
import { cannot } from '../../base/operator-errors.ts'
import { parseS3Url, type S3Access, toS3Url } from '../../config/s3.ts'
import { backupName } from '../../storage/backup-names.ts'
import { putOffSite } from './off-site.ts'
import { isWorthShowing, showStep, toMegabytes } from './progress.ts'

interface UploadOptions {
  readonly access: S3Access | null
  /** The URL as the user typed it. One that ends with a slash gets the name of a server's backup. */
  readonly url: string
  /** The number as the user typed it. */
  readonly keep: string | undefined
  readonly isReplacing: boolean
  readonly now: number
}

/**
 * `formbox backup s3://…`: checks what the user typed, and returns a function that puts a file there. That resolves
 * with the exit code.
 *
 * @throws AppError `invalid` that names the flag or setting
 */
export const openUpload = ({ access, url, keep = '0', isReplacing, now }: UploadOptions) => {
  const s3 = requireS3(access)
  const { bucket, key } = parseS3Url('FILE', url)
  const location = { bucket, key: key === '' || key.endsWith('/') ? key + backupName(now) : key }
  if (!/^\d{1,6}$/.test(keep))
    throw invalid({ field: '--keep', message: `must be a whole number; got ${JSON.stringify(keep)}` })

  return async (file: string): Promise<number> => {
    const onProgress = (bytes: number, total: number): void => {
      if (isWorthShowing(total)) showStep(`${Math.floor((bytes / total) * 100)} % of ${toMegabytes(total)} sent`)
    }
    const left = await putOffSite({ access: s3, location, file, isReplacing, keep: Number(keep), now, onProgress })
      .catch((error: unknown) => {
        throw cannot(`back up to ${toS3Url(location)}`, error)
      })
      .finally(() => showStep(null))
    process.stdout.write(`${toS3Url(location)}\n`)
    if (left !== null) process.stderr.write(`formbox: ${left}\n`)
    return 0
  }
}

/** @throws AppError `invalid` that names the setting */
export const requireS3 = (access: S3Access | null): S3Access => {
  if (access) return access
  throw invalid({ field: 'FORMBOX_BACKUP_S3_KEY_ID', message: 'must be set to use s3://' })
}

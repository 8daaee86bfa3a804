import { dirname } from 'node:path'
import { invalid } from '../../base/errors.ts'
import { cannot } from '../../base/operator-errors.ts'
import { parseS3Url, type S3Access, toS3Url } from '../../config/s3.ts'
import { type Bucket, openBucket } from '../../remote/s3/bucket.ts'
import { getFile } from '../../remote/s3/get-file.ts'
import { newestBackup } from '../../storage/backup-names.ts'
import { requireFree } from '../../storage/free-disk.ts'
import { removePartial } from '../../storage/partial-file.ts'
import { beginsAsBackup } from './backup-file.ts'
import { listBackups, splitKey } from './off-site.ts'
import { isWorthShowing, showProgress } from './progress.ts'
import type { BackupSource } from './restore.ts'
import { requireS3 } from './upload.ts'

interface DownloadOptions {
  readonly access: S3Access | null
  /** The URL as the user typed it. */
  readonly url: string
  readonly now: number
}

/**
 * The backup for `formbox restore s3://…`. `latest` instead of a name means the newest one that a server has put there.
 *
 * @throws AppError `invalid` that lists the backups there, if none is named
 */
export const backupInS3 = async ({ access, url, now }: DownloadOptions): Promise<BackupSource> => {
  const s3 = requireS3(access)
  const location = parseS3Url('FILE', url)
  const bucket = openBucket(s3, location.bucket)
  const { prefix, name } = splitKey(location.key)
  const isNamed = name !== '' && name !== 'latest'
  const key = isNamed ? location.key : prefix + (await newestName(bucket, location.key, url, now))
  return { name: toS3Url({ bucket: location.bucket, key }), copyTo: (path) => download(bucket, key, path) }
}

const newestName = async (bucket: Bucket, key: string, url: string, now: number): Promise<string> => {
  const { prefix, name } = splitKey(key)
  const names = await findBackups(bucket, prefix, url)
  const newest = newestBackup(names, now)
  if (newest === undefined) throw cannot(`restore ${url}`, 'there is no backup that a server has put there')
  if (name === '') throw invalid({ field: url, message: `add latest or one of these: ${names.join(', ')}` })
  return newest
}

const findBackups = async (bucket: Bucket, prefix: string, url: string) => {
  try {
    return await listBackups(bucket, prefix)
  } catch (error) {
    throw cannot(`list ${url}`, error)
  }
}

const download = async (bucket: Bucket, key: string, path: string): Promise<void> => {
  // The data file does not change before the last step.
  process.once('SIGINT', () => {
    removePartial(path)
    process.exit(130)
  })
  const { promise: size, resolve: tellSize } = Promise.withResolvers<number>()
  const loading = getFile(bucket, key, path, (total, start) => {
    if (!beginsAsBackup(start)) throw new Error('it is not a database')
    requireFree(dirname(path), total, 'the data folder')
    tellSize(total)
  })
  const total = await Promise.race([size, loading.then(() => 0)])
  await (isWorthShowing(total) ? showProgress(path, total, loading, '0 % of') : loading)
}

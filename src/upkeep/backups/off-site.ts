import { dayMilliseconds } from '../../base/durations.ts'
import { cannot } from '../../base/operator-errors.ts'
import type { S3Access, S3Location } from '../../config/s3.ts'
import { type Bucket, openBucket } from '../../remote/s3/bucket.ts'
import {
  abortUpload,
  listObjects,
  listUploads,
  removeObject,
  type StartedUpload,
  statObject,
} from '../../remote/s3/objects.ts'
import { type LocalFile, openLocalFile, putFile } from '../../remote/s3/put-file.ts'
import { S3Error } from '../../remote/s3/request.ts'
import { backupTime, obsoleteBackups } from '../../storage/backup-names.ts'

interface PutOptions {
  readonly access: S3Access
  /** Its key has a name after the prefix. */
  readonly location: S3Location
  /** The backup to put there. */
  readonly file: string
  /** Whether an object may be replaced. One with the same content is not sent again. */
  readonly isReplacing: boolean
  /** Number of the server's backups that stay below the prefix; 0 for all. */
  readonly keep: number
  readonly now: number
  readonly onProgress: (bytes: number, total: number) => void
}

/**
 * Puts a backup on an S3 server, then removes older ones there. It removes only what a server of Formbox has named, and
 * nothing if the new backup does not arrive whole.
 *
 * @returns null, or why an older backup could not be removed. The next upload tries again
 * @throws Error that says why the new backup is not there, without keys
 */
export const putOffSite = async (options: PutOptions): Promise<string | null> => {
  const { access, location, file: path, keep, now } = options
  const bucket = openBucket(access, location.bucket)
  const { prefix, name } = splitKey(location.key)
  // Before anything else, as only this response says in words that a key, the bucket or the region is wrong.
  const there = await listBackups(bucket, prefix)
  const file = openToSend(path)
  try {
    if (!(await isThere(bucket, location.key, file, options.isReplacing)))
      await put(bucket, location.key, file, options)
  } finally {
    file.close()
  }
  const names = new Set([...there, name])
  return await removeBackups(bucket, prefix, obsoleteBackups([...names], now, keep))
}

/** The first failure ends it: the others would fail for the same reason, each after some attempts. */
const removeBackups = async (bucket: Bucket, prefix: string, names: readonly string[]): Promise<string | null> => {
  for (const name of names)
    try {
      await removeObject(bucket, prefix + name)
    } catch (error) {
      return cannot(`remove the older backup ${prefix}${name}`, error).message
    }
  return null
}

const openToSend = (path: string): LocalFile => {
  try {
    return openLocalFile(path)
  } catch (error) {
    throw cannot(`read ${path}`, error)
  }
}

const put = async (bucket: Bucket, key: string, file: LocalFile, { now, onProgress }: PutOptions): Promise<void> => {
  await abortLeftUploads(bucket, key, now)
  await putFile(bucket, key, file, (bytes) => onProgress(bytes, file.bytes))
}

/** @throws Error if there is something else that may not be replaced */
const isThere = async (bucket: Bucket, key: string, file: LocalFile, isReplacing: boolean): Promise<boolean> => {
  const present = await statObject(bucket, key).catch((error: unknown) => {
    if (error instanceof S3Error && error.status === 404) return null
    throw error
  })
  if (!present) return false
  if (present.bytes === file.bytes && present.sha256 === file.sha256) return true
  if (!isReplacing) throw new Error('it already exists; use --force to overwrite it')
  return false
}

/**
 * Aborts the uploads of a process that was killed: its upload of this backup, and those of other backups after a day,
 * as another machine may be busy with them. A server that has no such list removes them by itself.
 */
const abortLeftUploads = async (bucket: Bucket, key: string, now: number): Promise<void> => {
  const { prefix, name } = splitKey(key)
  // MinIO lists the uploads of a whole key only.
  for (const start of [key, `${prefix}formbox-`])
    for (const upload of await findUploads(bucket, start)) {
      const other = splitKey(upload.key)
      const isOfThis = other.prefix === prefix && other.name === name
      const isOld = backupIn(prefix, upload.key) !== undefined && now - upload.startedAt > dayMilliseconds
      if (isOfThis || isOld) await abortUpload(bucket, upload.key, upload.id)
    }
}

const findUploads = async (bucket: Bucket, start: string): Promise<StartedUpload[]> => {
  try {
    return await listUploads(bucket, start)
  } catch (error) {
    if (error instanceof S3Error && [403, 404, 405, 501].includes(error.status)) return []
    throw error
  }
}

/** The names of the server's backups below the prefix, the oldest first. */
export const listBackups = async (bucket: Bucket, prefix: string): Promise<string[]> =>
  (await listObjects(bucket, `${prefix}formbox-`)).flatMap((key) => backupIn(prefix, key) ?? []).sort()

/** The name of a server's backup; undefined for any other object, and for one below another prefix. */
const backupIn = (start: string, key: string): string | undefined => {
  const { prefix, name } = splitKey(key)
  return prefix === start && backupTime(name) !== undefined ? name : undefined
}

/** `forms/` and `formbox-….db`. The prefix is empty if there is no slash. */
export const splitKey = (key: string): { prefix: string; name: string } => {
  const end = key.lastIndexOf('/') + 1
  return { prefix: key.slice(0, end), name: key.slice(end) }
}

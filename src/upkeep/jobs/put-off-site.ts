import { join } from 'node:path'
import { minuteMilliseconds } from '../../base/durations.ts'
import { OperatorError } from '../../base/operator-errors.ts'
import type { Config } from '../../config/config.ts'
import { backupFolder, backupTime, namesIn, newestBackup } from '../../storage/backup-names.ts'
import { sizeOf } from '../../storage/files.ts'
import { startUpload } from '../backups/start-command.ts'
import { createJob, type Job, type JobOptions } from './job.ts'
import type { OnBackup } from './make-backups.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'lease'> {
  readonly config: Config
  readonly onBackup: OnBackup
  /** How long an upload of this many bytes may take. */
  readonly toLimitMilliseconds?: (bytes: number) => number
}

const retryMilliseconds = 10 * minuteMilliseconds

/** 100 kB a second, and a quarter of an hour for all else. */
const usualLimitMilliseconds = (bytes: number): number => 900_000 + bytes / 100

/**
 * Puts the newest backup of `backups/` on the S3 server, each in its own process, which also removes older ones there. It
 * is woken when there is a new one. It never touches the local backups, and they do not wait for it. Of the machines of
 * a cluster, one does it.
 */
export const putOffSite = (options: Options): Job => {
  const { config, onBackup, toLimitMilliseconds = usualLimitMilliseconds, now, lease, onFailure } = options
  const { dataFolder, offSiteUrl, backupKeep } = config
  const folder = backupFolder(dataFolder)
  /** The name of the newest backup that is known to be there. */
  let there: string | undefined

  const step = async (stopping: AbortSignal): Promise<number | null> => {
    if (offSiteUrl === null) return null
    const name = newestBackup(namesIn(folder), now())
    if (name === undefined || name === there) return null
    try {
      await put(join(folder, name), offSiteUrl + name, stopping)
    } catch (error) {
      onBackup({ place: 's3', result: 'failed' })
      throw error
    }
    there = name
    onBackup({ place: 's3', result: 'made', newestAt: backupTime(name) })
    return now()
  }

  /** Uploads it. One that is stopped leaves parts on the server, which the next upload removes. */
  const put = async (file: string, url: string, stopping: AbortSignal): Promise<void> => {
    const limitMilliseconds = toLimitMilliseconds(sizeOf(file))
    const tooLong = AbortSignal.timeout(limitMilliseconds)
    const child = startUpload({ folder: dataFolder, file, url, keep: backupKeep })
    for (const signal of [stopping, tooLong]) signal.addEventListener('abort', child.cancel)
    const reason = await child.ended
    stopping.removeEventListener('abort', child.cancel)
    tooLong.removeEventListener('abort', child.cancel)
    const said = await child.said
    // The backup is there. To fail would send it again and again, and say that there is none.
    if (reason === null && said !== '') onFailure(said)
    if (reason === null) return
    if (tooLong.aborted) throw new Error(`it took longer than ${Math.round(limitMilliseconds / 1000)} seconds`)
    throw new OperatorError(reason)
  }

  const task = `put a backup to ${offSiteUrl}`
  return createJob({ task, step, retryMilliseconds, now, onFailure, lease: offSiteUrl === null ? undefined : lease })
}

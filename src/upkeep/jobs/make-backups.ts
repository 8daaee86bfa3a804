import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { minuteMilliseconds } from '../../base/durations.ts'
import { unavailable } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import {
  backupFolder,
  backupName,
  backupTime,
  isPartialBackup,
  namesIn,
  newestBackup,
  nextBackupAt,
  obsoleteBackups,
} from '../../storage/backup-names.ts'
import { startBackup } from '../backups/child-process.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

/** Called after each attempt to make a backup or to put it to S3, and with the newest backup that is there. */
export type OnBackup = (backup: {
  readonly place: 'local' | 's3'
  /** Absent if the backup was there before. */
  readonly result?: 'made' | 'failed'
  /** Unix time in milliseconds; undefined if there is none, or it is not known. */
  readonly newestAt?: number | undefined
}) => void

interface Options extends Pick<JobOptions, 'now' | 'onFailure'> {
  readonly config: Config
  readonly onBackup: OnBackup
  /** Whether the data file is still the server's. The operator knows if not, and a backup would be of another. */
  readonly isWhole: () => boolean
}

const retryMilliseconds = 10 * minuteMilliseconds

/**
 * Makes backups in `backups/` in the data folder, each in its own process. The next one is due a fixed time after the
 * newest one, so a restart does not delay it. Removes old backups, but only those that a server made.
 */
export const makeBackups = ({ config, isWhole, onBackup, now, onFailure }: Options): Job => {
  const { dataFolder, backupEveryMilliseconds: every, backupKeep } = config
  const folder = backupFolder(dataFolder)

  const step = async (stopping: AbortSignal): Promise<number | null> => {
    if (every === null) return null
    const dueAt = nextBackupAt(namesIn(folder), now(), every)
    onBackup({ place: 'local', newestAt: timeOfNewest() })
    if (dueAt > now()) return dueAt
    if (!isWhole()) throw unavailable(retryMilliseconds / 1000)
    try {
      await makeBackup(stopping)
    } catch (error) {
      onBackup({ place: 'local', result: 'failed' })
      throw error
    }
    onBackup({ place: 'local', result: 'made', newestAt: timeOfNewest() })
    return nextBackupAt(namesIn(folder), now(), every)
  }

  const timeOfNewest = (): number | undefined => backupTime(newestBackup(namesIn(folder), now()) ?? '')

  const makeBackup = async (stopping: AbortSignal): Promise<void> => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    remove(namesIn(folder).filter(isPartialBackup))
    const target = join(folder, backupName(now()))
    const child = startBackup({ folder: dataFolder, target, isReplacing: false })
    stopping.addEventListener('abort', child.cancel)
    const reason = await child.ended
    stopping.removeEventListener('abort', child.cancel)
    if (reason !== null) throw new Error(reason)
    remove(obsoleteBackups(namesIn(folder), now(), backupKeep))
  }

  const remove = (names: readonly string[]): void => {
    for (const name of names) rmSync(join(folder, name), { force: true })
  }

  return createJob({ task: `keep the backups in ${folder}`, step, retryMilliseconds, now, onFailure })
}

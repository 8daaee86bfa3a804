import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { minuteMilliseconds } from '../../base/durations.ts'
import { unavailable } from '../../base/errors.ts'
import { cannot } from '../../base/operator-errors.ts'
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
import { startBackup } from '../backups/start-command.ts'
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

/** A backup that someone asked for: `soon` if one is being made, or was asked for a minute ago. */
export type BackUpNow = () => Promise<'made' | 'failed' | 'under way' | 'soon'>

interface BackupJob extends Job {
  readonly backUpNow: BackUpNow
}

const retryMilliseconds = 10 * minuteMilliseconds
/** Between two that someone asks for. */
const pauseMilliseconds = minuteMilliseconds
/** Whoever asks for one sees its end, if it ends within this time. */
const patienceMilliseconds = 5000

/**
 * Makes backups in `backups/` in the data folder, each in its own process. The next one is due a fixed time after the
 * newest one, so a restart does not delay it. Removes old backups, but only those that a server made.
 */
export const makeBackups = ({ config, isWhole, onBackup, now, onFailure }: Options): BackupJob => {
  const { dataFolder, backupEveryMilliseconds: every, backupKeep } = config
  const folder = backupFolder(dataFolder)
  /** The backup that someone asked for and that is being made. */
  let byHand: Promise<unknown> | undefined
  let isScheduledUnderWay = false
  let askedAt = Number.NEGATIVE_INFINITY
  /** The last one that someone asked for: the next takes its place, so that no number of them pushes out older ones. */
  let lastByHand: string | undefined
  const ending = new AbortController()

  const step = async (stopping: AbortSignal): Promise<number | null> => {
    if (every === null) return null
    await byHand
    const dueAt = nextBackupAt(namesIn(folder), now(), every)
    onBackup({ place: 'local', newestAt: timeOfNewest() })
    if (dueAt > now()) return dueAt
    if (!isWhole()) throw unavailable(retryMilliseconds / 1000)
    try {
      isScheduledUnderWay = true
      await makeBackup(stopping)
      remove(obsoleteBackups(namesIn(folder), now(), backupKeep))
    } catch (error) {
      onBackup({ place: 'local', result: 'failed' })
      throw error
    } finally {
      isScheduledUnderWay = false
    }
    onBackup({ place: 'local', result: 'made', newestAt: timeOfNewest() })
    return nextBackupAt(namesIn(folder), now(), every)
  }

  const timeOfNewest = (): number | undefined => backupTime(newestBackup(namesIn(folder), now()) ?? '')

  /** Returns its name. */
  const makeBackup = async (stopping: AbortSignal): Promise<string> => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    remove(namesIn(folder).filter(isPartialBackup))
    const name = backupName(now())
    const child = startBackup({ folder: dataFolder, target: join(folder, name), isReplacing: false })
    stopping.addEventListener('abort', child.cancel)
    const reason = await child.ended
    stopping.removeEventListener('abort', child.cancel)
    if (reason !== null) throw new Error(reason)
    return name
  }

  const makeByHand = async (): Promise<'made' | 'failed'> => {
    try {
      if (!isWhole()) throw unavailable(retryMilliseconds / 1000)
      const name = await makeBackup(ending.signal)
      if (lastByHand !== undefined && lastByHand !== name) remove([lastByHand])
      lastByHand = name
      onBackup({ place: 'local', result: 'made', newestAt: timeOfNewest() })
      return 'made'
    } catch (error) {
      onBackup({ place: 'local', result: 'failed' })
      if (!ending.signal.aborted) onFailure(cannot(`make a backup in ${folder}`, error).message)
      return 'failed'
    }
  }

  const backUpNow: BackUpNow = async () => {
    if (byHand || isScheduledUnderWay) return 'under way'
    // The time of a monotonic clock: that of the machine may be set back.
    if (performance.now() - askedAt < pauseMilliseconds) return 'soon'
    askedAt = performance.now()
    const making = makeByHand().finally(() => {
      byHand = undefined
    })
    byHand = making
    return await Promise.race([making, Bun.sleep(patienceMilliseconds).then(() => 'under way' as const)])
  }

  const remove = (names: readonly string[]): void => {
    for (const name of names) rmSync(join(folder, name), { force: true })
  }

  const job = createJob({ task: `keep the backups in ${folder}`, step, retryMilliseconds, now, onFailure })
  return {
    ...job,
    backUpNow,
    async stop() {
      ending.abort()
      await byHand
      await job.stop()
    },
  }
}

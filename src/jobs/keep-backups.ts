import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startBackup } from '../backups/child-process.ts'
import { backupName, isPartialBackup, nextBackupAt, obsoleteBackups } from '../backups/names.ts'
import type { Config } from '../config.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure'> {
  readonly config: Config
}

const retryMilliseconds = 600_000

/**
 * Makes backups in `backups/` in the data folder, each in its own process. The next one is due a fixed time after the
 * newest one, so a restart does not delay it. Removes old backups, but only those that a server made.
 */
export const keepBackups = ({ config, now, onFailure }: Options): Job => {
  const { dataFolder, backupEveryMilliseconds: every, backupKeep } = config
  const folder = join(dataFolder, 'backups')

  const step = async (stopping: AbortSignal): Promise<number | null> => {
    if (every === null) return null
    const dueAt = nextBackupAt(listNames(folder), now(), every)
    if (dueAt > now()) return dueAt
    await makeBackup(stopping)
    return nextBackupAt(listNames(folder), now(), every)
  }

  const makeBackup = async (stopping: AbortSignal): Promise<void> => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    remove(listNames(folder).filter(isPartialBackup))
    const target = join(folder, backupName(now()))
    const child = startBackup({ folder: dataFolder, target, isReplacing: false })
    stopping.addEventListener('abort', child.cancel)
    const reason = await child.ended
    stopping.removeEventListener('abort', child.cancel)
    if (reason !== null) throw new Error(reason)
    remove(obsoleteBackups(listNames(folder), now(), backupKeep))
  }

  const remove = (names: readonly string[]): void => {
    for (const name of names) rmSync(join(folder, name), { force: true })
  }

  return createJob({ task: `keep the backups in ${folder}`, step, retryMilliseconds, now, onFailure })
}

const listNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

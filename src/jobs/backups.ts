import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CopyingChild, startBackup } from '../backups/child.ts'
import { backupName, isPartialBackup, nextBackupAt, obsoleteBackups } from '../backups/names.ts'
import type { Config } from '../config.ts'
import { cannot } from '../operator-errors.ts'

interface Options {
  readonly config: Config
  readonly now: () => number
  /** Told in one line why a backup failed and when the next try is. */
  readonly onFailure: (reason: string) => void
}

/** The clock is looked at so often, so that one that was set, or slept, delays a backup no longer. */
const longestWaitMilliseconds = 3_600_000
const retryMilliseconds = 600_000

/**
 * Makes the backups of a running server: into `backups/` in its data folder, each by a process of its own, the next one
 * a fixed time after the newest that is there, so that a restart postpones none. Removes those beyond what is kept, and
 * nothing that it did not make.
 */
export const keepBackups = ({ config, now, onFailure }: Options): { stop(): Promise<void> } => {
  const { dataFolder, backupEveryMilliseconds: every, backupKeep } = config
  if (every === null) return { stop: async () => {} }
  const folder = join(dataFolder, 'backups')
  let timer: Timer | undefined
  let child: CopyingChild | undefined
  let underWay: Promise<void> | undefined
  let isStopping = false
  let notBefore = 0

  const plan = (): void => {
    const wait = Math.max(nextBackupAt(listNames(folder), now(), every), notBefore) - now()
    if (wait <= 0) underWay = makeBackup().catch(fail).then(continueLater)
    else timer = setTimeout(continueLater, Math.min(wait, longestWaitMilliseconds))
  }

  const continueLater = (): void => {
    if (isStopping) return
    try {
      plan()
    } catch (error) {
      fail(error)
      timer = setTimeout(continueLater, retryMilliseconds)
    }
  }

  const makeBackup = async (): Promise<void> => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of listNames(folder).filter(isPartialBackup)) rmSync(join(folder, name), { force: true })
    child = startBackup({ folder: dataFolder, target: join(folder, backupName(now())), isReplacing: false })
    const reason = await child.ended
    if (isStopping) return
    if (reason !== null) throw new Error(reason)
    for (const name of obsoleteBackups(listNames(folder), now(), backupKeep))
      rmSync(join(folder, name), { force: true })
  }

  const fail = (error: unknown): void => {
    const { message } = cannot(`keep the backups in ${folder}`, error)
    notBefore = now() + retryMilliseconds
    if (!isStopping) onFailure(`${message}; the next try is in ${retryMilliseconds / 60_000} minutes`)
  }

  continueLater()
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      child?.cancel()
      await underWay
    },
  }
}

const listNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

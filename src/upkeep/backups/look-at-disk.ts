import { statSync } from 'node:fs'
import { join } from 'node:path'
import { backupFolder, backupTime, namesIn, newestBackup } from '../../storage/backup-names.ts'
import { sizeOf } from '../../storage/files.ts'
import { freeBytes } from '../../storage/free-disk.ts'
import { dataFile } from '../../storage/open.ts'

export interface Disk {
  /** Of the data file and its log. */
  readonly dataBytes: number
  readonly backupBytes: number
  /** Infinity if the file system does not know. */
  readonly freeBytes: number
}

export interface KeptBackups {
  /** Those of which the name says the time. */
  readonly count: number
  readonly newest: { readonly name: string; readonly at: number; readonly bytes: number } | null
}

/** Backups of which it looks at the size. */
const maxSized = 100

/** Reads names and sizes, never the data. */
export const lookAtDisk = (dataFolder: string, now: number): { disk: Disk; backups: KeptBackups } => {
  const main = dataFile(dataFolder)
  const folder = backupFolder(dataFolder)
  const names = safely(() => namesIn(folder).filter((name) => backupTime(name) !== undefined), [])
  const newest = newestBackup(names, now)
  const sizes = names
    .sort()
    .slice(-maxSized)
    .map((name) => safely(() => statSync(join(folder, name)).size, 0))
  const backups: KeptBackups = {
    count: names.length,
    newest:
      newest === undefined
        ? null
        : { name: newest, at: backupTime(newest) ?? 0, bytes: safely(() => statSync(join(folder, newest)).size, 0) },
  }
  return {
    disk: {
      dataBytes: sizeOf(main) + sizeOf(`${main}-wal`),
      backupBytes: sizes.reduce((sum, size) => sum + size, 0),
      freeBytes: safely(() => freeBytes(dataFolder), Number.POSITIVE_INFINITY),
    },
    backups,
  }
}

/** A folder that is gone, or a file that is removed meanwhile, must not take the page away. */
const safely = <T>(read: () => T, otherwise: T): T => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

import { Database } from 'bun:sqlite'
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { cannot } from '../../base/operator-errors.ts'
import { toStamp } from '../../storage/backup-names.ts'
import { nameToo } from '../../storage/copy-database.ts'
import { examine, isDatabase } from '../../storage/examine-database.ts'
import { giveToFolderOwner, isSameFile, lookAt, sizeOf, syncToDisk } from '../../storage/files.ts'
import { requireFree } from '../../storage/free-disk.ts'
import { connect, dataFile } from '../../storage/open.ts'
import { partialFile, removeAbandoned, removePartial } from '../../storage/partial-file.ts'
import { isBackup } from './backup-file.ts'
import { refuseIfOpenElsewhere } from './open-elsewhere.ts'

/** A backup to restore, on this machine or elsewhere. */
export interface BackupSource {
  /** Its path or URL. */
  readonly name: string
  /** Writes it to a new file. The WAL of a database may be beside it. */
  readonly copyTo: (path: string) => Promise<void> | void
}

/** @throws OperatorError if it is clear at once that the file cannot be restored */
export const backupFile = (backup: string, folder: string): BackupSource => {
  checkBackup(backup, folder)
  return { name: backup, copyTo: (path) => copyWithWal(backup, path) }
}

/** A backup that can be read once. How large it will be, only its end says. */
export const pipedBackup = (name: string, pipe: Pick<Blob, 'stream'>): BackupSource => ({
  name,
  async copyTo(path) {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(pipe.stream()).finally(() => file.close())
  },
})

/** A copy is checked later, as SQLite may write beside it. */
const checkBackup = (backup: string, folder: string): void => {
  const what = `restore ${backup}`
  const present = lookAt(backup, what)
  if (!present) throw cannot(what, 'it does not exist')
  if (!present.isFile()) throw cannot(what, 'it is not a file')
  if (lookAt(dataFile(folder), what) && isSameFile(backup, dataFile(folder)))
    throw cannot(what, 'it is the data file itself')
  if (!isBackup(backup)) throw cannot(what, 'it is not a database')
}

/**
 * Replaces the data file with a copy of the backup, after checking that copy. The data file is unchanged until the last
 * step, which is one rename. The caller holds the lock of the folder.
 *
 * @param wasOpenHere whether this process has had the data file open
 * @returns the path of the replaced data file, or null if there was none
 * @throws OperatorError if the backup is damaged, not Formbox's, empty or of a newer version, or if another program has
 *   the data file open
 */
export const restoreDataFile = async (
  { name, copyTo }: BackupSource,
  folder: string,
  now: number,
  wasOpenHere = false,
): Promise<string | null> => {
  const path = dataFile(folder)
  const copy = partialFile(path, process.pid)
  try {
    refuseIfOpenElsewhere(path, wasOpenHere)
    removeAbandoned(path, true)
    await copyTo(copy)
    if (!examine(copy, 'full').hasTables) throw cannot(`restore ${name}`, 'it contains no data')
    foldWal(copy)
    giveToFolderOwner(copy)
    syncToDisk(copy)
    // Again, because copying and checking a large file takes minutes.
    refuseIfOpenElsewhere(path, wasOpenHere)
    const replaced = keepReplaced(path, folder, toStamp(now))
    renameSync(copy, path)
    syncToDisk(folder)
    return replaced
  } catch (error) {
    throw cannot(`restore ${name}`, error)
  } finally {
    removePartial(copy)
  }
}

/** A data file that was copied by hand, or kept by an earlier restore, may have its last writes in its WAL. */
const copyWithWal = (from: string, to: string): void => {
  requireFree(dirname(to), sizeOf(from) + sizeOf(`${from}-wal`), 'the data folder')
  for (const suffix of ['', '-wal']) {
    if (!existsSync(from + suffix)) continue
    copyFileSync(from + suffix, to + suffix)
    chmodSync(to + suffix, 0o600)
  }
}

const foldWal = (path: string): void => {
  const db = new Database(path, { readwrite: true, create: false })
  try {
    db.run('PRAGMA journal_mode = DELETE')
  } finally {
    db.close()
  }
}

/** Gives the data file a second name and moves its WAL there. It keeps its first name: there is a data file at all times. */
const keepReplaced = (path: string, folder: string, stamp: string): string | null => {
  const isThere = existsSync(path)
  const kept = freeName(`${path}.replaced-${stamp}`)
  if (isThere) {
    foldReplaced(path, folder)
    nameToo(path, kept)
  }
  // Also if the data file is missing: SQLite would use its WAL for the new data file.
  const wal = `${path}-wal`
  if (sizeOf(wal) > 0) renameSync(wal, `${kept}-wal`)
  // Neither belongs to the new data file. The index of a WAL can be made again, and an empty WAL is not needed.
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  return isThere ? kept : null
}

/** Moves the WAL into the file, so that one file is kept. A damaged one, a common reason for a restore, stays as it is. */
const foldReplaced = (path: string, folder: string): void => {
  try {
    // SQLite would remove the WAL of a file that is not a database.
    if (!isDatabase(path)) return
    examine(path, 'none')
    const db = connect(folder)
    try {
      db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      db.$client.close()
    }
  } catch {
    // The WAL stays beside the file.
  }
}

const freeName = (name: string, number = 2): string => {
  if (!existsSync(name)) return name
  return existsSync(`${name}-${number}`) ? freeName(name, number + 1) : `${name}-${number}`
}

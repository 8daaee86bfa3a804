import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { cannot } from '../../base/operator-errors.ts'
import { isDatabase } from '../../storage/examine-database.ts'
import { isSameFile } from '../../storage/files.ts'

/**
 * Refuses to replace a file that another program has open: what that writes would be lost. A copy that Litestream makes
 * of two files in turn is damaged. The locks of `folder-lock.ts` keep out Formbox itself only.
 *
 * @param wasOpenHere whether this process has had the file open. Its own lock looks like another's, and stays until the
 *   statements of the closed connection are collected
 * @throws OperatorError that names the process, if it is found in `/proc`
 */
export const refuseIfOpenElsewhere = (path: string, wasOpenHere = false): void => {
  if (!existsSync(path)) return
  const holder = holderIn('/proc', path) ?? (!wasOpenHere && isLockedElsewhere(path) ? 'another process' : undefined)
  if (holder !== undefined)
    throw cannot(
      `replace ${path}`,
      `${holder} has it open; stop it first, even if it is Litestream or a shell of SQLite`,
    )
}

/**
 * The process that has the file open, such as `process 4711 (litestream)`. Only Linux has this list. It has every
 * process of this user, or of all users for root, but none that runs in another container.
 */
const holderIn = (list: string, path: string): string | undefined => {
  const own = String(process.pid)
  const id = namesIn(list).find((name) => /^\d+$/.test(name) && name !== own && hasOpen(`${list}/${name}/fd`, path))
  return id && `process ${id} (${read(() => readFileSync(`${list}/${id}/comm`, 'utf8').trim()) ?? 'unknown'})`
}

const hasOpen = (descriptors: string, path: string): boolean =>
  namesIn(descriptors).some((name) => {
    const descriptor = `${descriptors}/${name}`
    // By its name first: looking at the file itself could wait for a network disk that does not respond.
    const isNamed = read(() => readlinkSync(descriptor))?.endsWith(`/${basename(path)}`) ?? false
    return isNamed && (read(() => isSameFile(descriptor, path)) ?? false)
  })

const namesIn = (folder: string): string[] => read(() => readdirSync(folder)) ?? []

/** Undefined for a process that has ended or belongs to someone else. */
const read = <T>(look: () => T): T | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

/**
 * Whether another process has a lock on the file. In WAL mode every connection that has read something keeps one until
 * it is closed, also in another container on this machine, so no other can have the file alone. A WAL that no process
 * uses is moved into the file.
 */
const isLockedElsewhere = (path: string): boolean => {
  // Without an index there is no WAL in use. And SQLite would remove the WAL of a file that is not a database.
  if (!existsSync(`${path}-shm`) || !isDatabase(path)) return false
  const db = new Database(path, { readwrite: true, create: false })
  try {
    db.run('PRAGMA busy_timeout = 1000')
    db.run('PRAGMA locking_mode = EXCLUSIVE')
    db.run('BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    // Anything else is damage, which is a reason to restore.
    return (error as { code?: unknown }).code === 'SQLITE_BUSY'
  } finally {
    db.close()
  }
}

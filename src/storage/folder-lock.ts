import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cannot, OperatorError } from '../base/operator-errors.ts'
import { createFile, sizeOf } from './files.ts'
import { lockFault } from './lock-fault.ts'
import { dataFile } from './open.ts'

/** The right to be the only server of a data folder, or to replace or upgrade its file. */
export interface FolderLock {
  release(): void
}

/** Another process has the lock. */
export class FolderLocked extends OperatorError {}

/**
 * Locks the folder against other servers. Commands that only read and write continue to work. The lock is an open
 * transaction on a database of its own. The system ends it with the process, however that ends, so there is never a
 * stale lock to remove; and it works wherever SQLite works.
 *
 * @param waitMilliseconds how long to wait for another process to release it
 * @throws FolderLocked that names the process that has it
 */
export const lockFolder = (folder: string, waitMilliseconds = 0): FolderLock =>
  lock(serverLock(folder), waitMilliseconds, (db) => claim(db, folder))

/** Whether a server has used the folder before. */
export const wasLocked = (folder: string): boolean => existsSync(serverLock(folder))

const serverLock = (folder: string): string => join(folder, 'formbox.lock')

/**
 * How long a restore waits for the commands that are running, and a command for a restore. In a cluster, also a server for
 * a command that takes its place.
 */
export const turnMilliseconds = 5000

/**
 * The right of a command to use the data, together with other commands and a server, until it is released: no restore
 * replaces the file in that time. It is not the server's lock, because the server could not write its process number
 * while a command has it.
 *
 * @throws FolderLocked if a restore is still running after the wait
 */
export const joinFolder = (folder: string, waitMilliseconds = turnMilliseconds): FolderLock => {
  refuseReplaced(folder)
  return lock(join(folder, commandLock), waitMilliseconds, (db) => {
    const busy = () => `the data folder ${folder} is being restored; try again when the restore has finished`
    // SQLite takes the lock with the first read.
    orRefuse(busy, () => db.run('BEGIN; PRAGMA user_version'))
  })
}

/**
 * SQLite would join a file that was put in the place of a running server's with the log of that.
 *
 * @throws OperatorError that names the server's process
 */
export const refuseReplaced = (folder: string): void => {
  if (!wasLocked(folder)) return
  try {
    const db = new Database(serverLock(folder), { readwrite: true, create: false })
    try {
      db.run('PRAGMA busy_timeout = 1000')
      const known = db.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id ?? 0
      // Rarely another one: a server that starts while the lock is tried would find it taken.
      if (known !== 0 && known !== numberOfFile(folder)) tryLock(db, folder)
    } finally {
      db.close()
    }
  } catch (error) {
    // The locks that are taken next say why none works.
    if (error instanceof FolderLocked) throw error
  }
}

const tryLock = (db: Database, folder: string): void =>
  orRefuse(
    () => `the data file ${dataFile(folder)} was replaced while Formbox${owner(db)} was running; stop it first`,
    () => db.run('BEGIN IMMEDIATE; ROLLBACK'),
  )

/** The last 32 bits of the number that the file system has for the data file; 0 if there is none. */
const numberOfFile = (folder: string): number => {
  const found = statSync(dataFile(folder), { throwIfNoEntry: false, bigint: true })
  return found ? Number(BigInt.asIntN(32, found.ino)) : 0
}

/**
 * The right to be the only command that uses the data, until it is released. The caller also has the folder's lock, so
 * that there is no server.
 *
 * @throws FolderLocked if another command is still running after the wait
 */
export const lockOutCommands = (folder: string, waitMilliseconds = turnMilliseconds): FolderLock =>
  lock(join(folder, commandLock), waitMilliseconds, (db) => {
    const busy = () =>
      `another command, such as a backup, is using the data folder ${folder}; try again when it has finished`
    // Nothing is written, and a process that is killed should not leave a journal.
    db.run('PRAGMA journal_mode = MEMORY')
    orRefuse(busy, () => db.run('BEGIN EXCLUSIVE'))
  })

const commandLock = 'formbox.commands.lock'

const lock = (path: string, waitMilliseconds: number, take: (db: Database) => void): FolderLock => {
  try {
    createFile(path)
    const db = new Database(path, { readwrite: true, create: false })
    try {
      db.run(`PRAGMA busy_timeout = ${waitMilliseconds}`)
      take(db)
    } catch (error) {
      db.close()
      throw error
    }
    return { release: () => db.close() }
  } catch (error) {
    const cause = error instanceof FolderLocked ? error.cause : error
    throw lockFault(dirname(path), cause) ?? cannot(`lock ${path}`, error)
  }
}

/** Commits the numbers of process and data file first, so that others can read them while the second transaction is open. */
const claim = (db: Database, folder: string): void => {
  // The first time, the file gets its only page. After that, numbers in its first 100 bytes change. If the power fails,
  // the disk has the old ones or the new ones, and neither means anything then. To wait for it took four fsyncs.
  const isFirst = sizeOf(serverLock(folder)) === 0
  begin(db, folder, isFirst ? '' : 'PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;')
  try {
    db.run(`PRAGMA user_version = ${process.pid}; PRAGMA application_id = ${numberOfFile(folder)}`)
    db.run('COMMIT')
  } catch {
    // The disk is full. The number is only for an error message, and a server must start to serve reads.
    if (db.inTransaction) db.run('ROLLBACK')
  }
  begin(db, folder)
}

const begin = (db: Database, folder: string, settings = ''): void =>
  orRefuse(
    () => `another Formbox${owner(db)} is using the data folder ${folder}; stop it first`,
    // Others can still read, which they must do to get the number.
    () => db.run(`${settings} BEGIN IMMEDIATE`),
  )

/** @throws FolderLocked with the reason if another process has the lock */
const orRefuse = (reason: () => string, take: () => void): void => {
  try {
    take()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
    throw new FolderLocked(reason(), { cause: error })
  }
}

const owner = (db: Database): string => {
  try {
    return ` (process ${db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version})`
  } catch {
    return ''
  }
}

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { OperatorError } from '../errors.ts'
import { cannot } from '../operator-errors.ts'
import { createFile } from './files.ts'

/** The right to be the one server of a data folder, or to replace or upgrade its file. */
export interface FolderLock {
  release(): void
}

/**
 * Locks the folder against other servers; commands that only read and write go on beside. The lock is a transaction
 * that stays open on a database of its own: the system ends it with the process, however that dies, so there is never
 * an old lock to remove, and it works wherever SQLite does.
 *
 * @param waitMilliseconds how long another one may take to release it
 * @throws OperatorError that names the process which has it.
 */
export const lockFolder = (folder: string, waitMilliseconds = 0): FolderLock =>
  lock(join(folder, 'formbox.lock'), waitMilliseconds, (db) => claim(db, folder))

/** How long a restore waits for the commands that are at work, and a command for a restore. */
const turnMilliseconds = 5000

/**
 * The right of a command to work on the data, beside others and beside a server, until it is released: no restore
 * replaces the file meanwhile. It is another lock than the server's, whose number it would keep from being written.
 *
 * @throws OperatorError while a restore is under way, after having waited
 */
export const joinFolder = (folder: string, waitMilliseconds = turnMilliseconds): FolderLock =>
  lock(join(folder, commandLock), waitMilliseconds, (db) => {
    const busy = () => `the data folder ${folder} is being restored; try again when the restore has finished`
    // SQLite locks with the first read.
    orRefuse(busy, () => db.run('BEGIN; PRAGMA user_version'))
  })

/**
 * The right to be the only command on the data, until it is released. Whoever has it also holds the folder's lock, so
 * that there is no server.
 *
 * @throws OperatorError while another command is at work, after having waited
 */
export const lockOutCommands = (folder: string, waitMilliseconds = turnMilliseconds): FolderLock =>
  lock(join(folder, commandLock), waitMilliseconds, (db) => {
    const busy = () =>
      `another command, such as a backup, is using the data folder ${folder}; try again when it has finished`
    // Nothing is written: the journal of a process that was killed would only lie about.
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
    throw cannot(`lock ${path}`, error)
  }
}

/** The number of the process is committed first, so that others can read it while the second transaction is held. */
const claim = (db: Database, folder: string): void => {
  begin(db, folder)
  try {
    db.run(`PRAGMA user_version = ${process.pid}`)
    db.run('COMMIT')
  } catch {
    // A full disk: the number is for the message alone, and reading has to go on.
    if (db.inTransaction) db.run('ROLLBACK')
  }
  begin(db, folder)
}

const begin = (db: Database, folder: string): void =>
  orRefuse(
    () => `another Formbox${owner(db)} is running on the data folder ${folder}; stop it first`,
    // Others may still read, which they need for the number.
    () => db.run('BEGIN IMMEDIATE'),
  )

/** @throws OperatorError with the reason where somebody else has the lock */
const orRefuse = (reason: () => string, take: () => void): void => {
  try {
    take()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
    throw new OperatorError(reason())
  }
}

const owner = (db: Database): string => {
  try {
    return ` (process ${db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version})`
  } catch {
    return ''
  }
}

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { OperatorError } from '../errors.ts'
import { cannot } from './cannot.ts'
import { createFile } from './folder.ts'

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
export const lockFolder = (folder: string, waitMilliseconds = 0): FolderLock => {
  const path = join(folder, 'formbox.lock')
  try {
    createFile(path)
    const db = new Database(path, { readwrite: true, create: false })
    try {
      db.run(`PRAGMA busy_timeout = ${waitMilliseconds}`)
      claim(db, folder)
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

const begin = (db: Database, folder: string): void => {
  try {
    // Others may still read, which they need for the number.
    db.run('BEGIN IMMEDIATE')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
    throw new OperatorError(`another Formbox${owner(db)} is running on the data folder ${folder}; stop it first`)
  }
}

const owner = (db: Database): string => {
  try {
    return ` (process ${db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version})`
  } catch {
    return ''
  }
}

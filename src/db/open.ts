import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { cannot } from '../operator-errors.ts'
import { copyDatabase } from './copy.ts'
import { type Depth, type Examined, examine, refuseLoneLog } from './examine.ts'
import { createFile, makeFolder } from './folder.ts'
import { type FolderLock, joinFolder, lockFolder } from './lock.ts'
import { type Migration, migrate } from './migrations.ts'
import { removeAbandoned } from './partial.ts'
import { drizzlePlannedOnce } from './planned-once.ts'
import { removeOlderCopies, upgradeCopy } from './upgrade-copy.ts'

/** What statements are made of. Whoever has no more than this reads and writes through Drizzle alone. */
export type Db = BunSQLiteDatabase

export type Connection = Db & { readonly $client: Database }

/** How long a write waits for another process, such as `formbox key create`, to finish its own. */
const busyTimeoutMilliseconds = 5000

/** While a backup is made the log grows by all that is written. Afterwards it is cut to so much, and not to nothing. */
const maxIdleLogBytes = 64 * 1024 * 1024

/** How long a command waits for another one to upgrade the file. */
const upgradeTimeoutMilliseconds = 1000

/**
 * What a server does with its data folder before anything else: makes it where it is missing, locks it against other
 * servers and brings its file up to date.
 *
 * @throws OperatorError with one line for the operator; the file is then as it was, to the byte.
 */
export const openDataFolder = (folder: string, onStep?: OnStep): FolderLock => {
  // Before the lock, which is a file: nothing is put beside what turns out to be something else.
  makeAndExamine(folder, 'none')
  const lock = lockFolder(folder)
  try {
    // What a restore left that was killed.
    removeAbandoned(dataFile(folder), true)
    prepareDataFolder(folder, { lock, onStep })
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * What a command does with the data folder before it reads or writes beside a server: makes it where it is missing, keeps
 * restores away, and brings its file up to date.
 *
 * @throws OperatorError as above.
 */
export const joinDataFolder = (folder: string, onStep?: OnStep): FolderLock => {
  makeAndExamine(folder, 'none')
  const lock = joinFolder(folder)
  try {
    prepareDataFolder(folder, { onStep })
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

interface PrepareOptions {
  /** Where the caller holds it. Others take it by themselves while they change what is there. */
  readonly lock?: FolderLock
  readonly list?: readonly Migration[]
  readonly onStep?: OnStep | undefined
}

/** Told what begins that may take minutes: a copy goes at 2.6 s a GB; null when it is done. */
type OnStep = (step: string | null) => void

/**
 * Makes the data folder and its file where they are missing, both for the owner alone, and brings the schema up to
 * date. Before data is migrated, a copy of it is put beside: `formbox.db.before-` and the first migration's name.
 *
 * @throws OperatorError as above.
 */
export const prepareDataFolder = (folder: string, { lock, list, onStep }: PrepareOptions = {}): void => {
  const { missing, hasTables } = makeAndExamine(folder, lock ? 'small' : 'none', list)
  if (missing.length === 0) return
  // No server of another version must find the schema changed under it. A new file has no server.
  const ownLock = lock || !hasTables ? undefined : lockFolder(folder, upgradeTimeoutMilliseconds)
  try {
    upgrade(folder, list, hasTables ? onStep : undefined)
  } finally {
    ownLock?.release()
  }
}

/** Makes the folder and its file where they are missing, and looks at what is in the file. */
const makeAndExamine = (folder: string, depth: Depth, list?: readonly Migration[]): Examined => {
  makeFolder(folder)
  const path = dataFile(folder)
  try {
    refuseLoneLog(path)
    createFile(path)
    return examine(path, depth, list)
  } catch (error) {
    throw cannot(`open the data file ${path}`, error)
  }
}

const upgrade = (folder: string, list: readonly Migration[] | undefined, onStep: OnStep = () => {}): void => {
  const path = dataFile(folder)
  // Again: another process may have been faster.
  const { missing, hasTables } = makeAndExamine(folder, 'none', list)
  const [first] = missing
  if (!first) return
  const db = connect(folder)
  try {
    // Over the copy of an earlier attempt, so that a start which is tried again and again does not fill the disk.
    onStep(`copying ${path} before it is upgraded`)
    const copy = upgradeCopy(path, first.name)
    if (hasTables) copyDatabase(db.$client, copy, { isReplacing: true })
    onStep(`upgrading ${path}`)
    migrate(db.$client, list)
    if (hasTables) removeOlderCopies(copy)
  } catch (error) {
    throw cannot(`upgrade the data file ${path}`, error)
  } finally {
    onStep(null)
    db.$client.close()
  }
}

/**
 * A connection that reads and writes. Its commits are on the disk when they return.
 *
 * @param beforeEach called before each statement that comes from Drizzle
 */
export const connect = (folder: string, beforeEach?: () => void): Connection => {
  const client = new Database(dataFile(folder), { readwrite: true, create: false, strict: true })
  client.run(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}`)
  client.run('PRAGMA journal_mode = WAL')
  client.run('PRAGMA synchronous = FULL')
  // On macOS alone, where a plain fsync leaves the data in the memory of the disk.
  client.run('PRAGMA fullfsync = ON')
  client.run(`PRAGMA journal_size_limit = ${maxIdleLogBytes}`)
  client.run('PRAGMA foreign_keys = ON')
  return drizzlePlannedOnce(client, beforeEach)
}

/** A connection that reads only: writing through it is an error. */
export const connectToRead = (folder: string, beforeEach?: () => void): Connection => {
  const db = connect(folder, beforeEach)
  db.$client.run('PRAGMA query_only = ON')
  return db
}

export const dataFile = (folder: string): string => join(folder, 'formbox.db')

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { type SQL, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { drizzlePlannedOnce } from './drizzle.ts'

/** Makes statements with Drizzle. Code that has only this cannot use the connection in any other way. */
export type Db = BunSQLiteDatabase

export type Connection = Db & { readonly $client: Database }

/** How long a write waits for another process, such as `formbox key create`, to finish its own. */
const busyTimeoutMilliseconds = 5000

/** How long emptying the write-ahead log waits for a reader: other writes wait meanwhile. */
const walTimeoutMilliseconds = 50

/** The write-ahead log grows while a backup is made. Afterwards it is cut to this size, not to nothing. */
const maxIdleWalBytes = 64 * 1024 * 1024

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
  // Has an effect on macOS only, where a plain fsync leaves the data in the disk's own memory.
  client.run('PRAGMA fullfsync = ON')
  client.run(`PRAGMA journal_size_limit = ${maxIdleWalBytes}`)
  client.run('PRAGMA foreign_keys = ON')
  // Overwrites what is deleted. Submissions take no longer, and deleting a million writes a sixth more.
  client.run('PRAGMA secure_delete = ON')
  return drizzlePlannedOnce(client, beforeEach)
}

/** A connection that only reads: writing through it is an error. */
export const connectToRead = (folder: string, beforeEach?: () => void): Connection => {
  const db = connect(folder, beforeEach)
  db.$client.run('PRAGMA query_only = ON')
  return db
}

/**
 * Moves all of the write-ahead log into the file and cuts the log to nothing: until then, it has what was deleted. Not to
 * be called in a transaction.
 *
 * @returns false if a reader needs what is in the log, such as a backup under way; then it is to be called again later
 */
export const emptyWal = ({ $client: client }: Connection): boolean => {
  client.run(`PRAGMA busy_timeout = ${walTimeoutMilliseconds}`)
  try {
    return client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
  } finally {
    client.run(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}`)
  }
}

/**
 * Moves what no reader needs out of the write-ahead log into the file, while others write. What has read for long calls it
 * right after its transaction, on a thread that no one waits for. Otherwise the next commit does it, and all writes wait.
 *
 * @returns false if another connection is doing the same
 */
export const moveLog = (client: Database): boolean => {
  try {
    return client.query<{ busy: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()?.busy === 0
  } catch {
    // The disk is full, for example. Later commits try it again.
    return true
  }
}

export const dataFile = (folder: string): string => join(folder, 'formbox.db')

export const walFile = (folder: string): string => `${dataFile(folder)}-wal`

/**
 * A function that makes statements once for each connection, however many ask for them. Without it, a start made 600 in
 * the writer and 150 for the stores, of which 250 and 80 differ.
 */
export const oncePerConnection = <T extends object>(make: (db: Db) => T): ((db: Db) => T) => {
  const made = new WeakMap<Db, T>()
  return (db) => {
    const result = made.get(db) ?? make(db)
    made.set(db, result)
    return result
  }
}

/** How many rows a statement changed. Drizzle returns what bun:sqlite says, but has no type for it. */
export const changesOf = (result: unknown): number => (result as { changes: number }).changes

/** A function that tells whether the table has any row, or any that meets the condition. */
export const hasRows = (db: Db, table: SQLiteTable, condition?: SQL): (() => boolean) => {
  const one = db.select({ found: sql`1` }).from(table).where(condition).limit(1).prepare()
  return () => one.get() !== undefined
}

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { drizzlePlannedOnce } from './planned-once.ts'

/** What statements are made of. Whoever has no more than this reads and writes through Drizzle alone. */
export type Db = BunSQLiteDatabase

export type Connection = Db & { readonly $client: Database }

/** How long a write waits for another process, such as `formbox key create`, to finish its own. */
const busyTimeoutMilliseconds = 5000

/** While a backup is made the log grows by all that is written. Afterwards it is cut to so much, and not to nothing. */
const maxIdleLogBytes = 64 * 1024 * 1024

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

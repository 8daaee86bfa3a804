import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from './migrations.ts'

export type Db = BunSQLiteDatabase & { $client: Database }

/** How long a write waits for another process, such as `formbox key create`, to finish its own. */
const busyTimeoutMilliseconds = 5000

/** Makes the data folder and its file where they are missing, both for the owner alone, and brings the schema up to date. */
export const prepareDataFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // SQLite gives its -wal and -shm the mode of the file itself.
  closeSync(openSync(dataFile(folder), 'a', 0o600))
  const db = connect(folder)
  try {
    migrate(db.$client)
  } finally {
    db.$client.close()
  }
}

/** A connection that reads and writes. Its commits are on the disk when they return. */
export const connect = (folder: string): Db => {
  const client = new Database(dataFile(folder), { readwrite: true, create: false, strict: true })
  client.run(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}`)
  client.run('PRAGMA journal_mode = WAL')
  client.run('PRAGMA synchronous = FULL')
  client.run('PRAGMA foreign_keys = ON')
  return drizzle({ client })
}

/** A connection that reads only: writing through it is an error. */
export const connectToRead = (folder: string): Db => {
  const db = connect(folder)
  db.$client.run('PRAGMA query_only = ON')
  return db
}

const dataFile = (folder: string): string => join(folder, 'formbox.db')

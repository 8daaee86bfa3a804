import { Database } from 'bun:sqlite'
import { closeSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { cannot } from '../base/operator-errors.ts'
import { oneLine } from '../base/short-text.ts'
import { sizeOf } from './files.ts'
import type { Migration } from './load-migrations.ts'
import { migrations, missingMigrations } from './migrations.ts'
import { refuseForeignParts } from './own-schema.ts'

export interface Examined {
  /** The migrations that have not been applied, in order. */
  readonly missing: readonly Migration[]
  /** False for an empty file. */
  readonly hasTables: boolean
}

/**
 * `none` reads the header and the schema, `small` also all pages of a file of up to 32 MiB, `full` all pages of any file,
 * and compares the schema with that of Formbox.
 */
export type Depth = 'none' | 'small' | 'full'

/**
 * Reading a whole file takes 0.8 to 1.1 s a GB if it is in memory already, and otherwise as long as the disk needs. So
 * each start checks the header, the length and the schema (1 ms whatever the size), and reads all pages of a small file
 * only (up to 30 ms). In a larger file, a damaged page is noticed by a request that reads it, or by the next backup,
 * which reads all pages.
 */
const smallBytes = 32 * 1024 * 1024

/**
 * Checks a database without changing a byte of it or of its log.
 *
 * @throws Error that says what is wrong: damaged, not a database, another program's, of a newer version; see `cannot`.
 */
export const examine = (path: string, depth: Depth, list: readonly Migration[] = migrations): Examined => {
  const [bytes, logBytes] = [sizeOf(path), sizeOf(`${path}-wal`)]
  refuseLoneLog(path)
  // When the last connection that may write is closed, it moves the log into the file, which takes 5 s a GB, and removes
  // the log of a file that is not a database. A read-only one leaves both unchanged, but makes a log if there is none.
  const db = new Database(path, logBytes > 0 ? { readonly: true } : { readwrite: true, create: false })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA query_only = ON')
    const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const hasTables = names.length > 0
    if (hasTables && !names.some(({ name }) => name === 'migrations'))
      throw new Error('it is a database of another program')
    if (depth === 'full' || (depth === 'small' && bytes + logBytes <= smallBytes)) checkPages(db)
    const missing = missingMigrations(db, list)
    if (depth === 'full' && hasTables) refuseForeignParts(db, list.slice(0, list.length - missing.length))
    return { missing, hasTables }
  } finally {
    db.close()
  }
}

/** SQLite would remove the log. No crash leaves a log alone: the first page is in the file before there is a log. */
export const refuseLoneLog = (path: string): void => {
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0)
    throw new Error(`it is missing or empty, but ${basename(path)}-wal is not`)
}

/** Reads all pages: 1 s a GB. Throws if one is damaged. */
export const checkPages = (db: Database): void => {
  const found = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()?.integrity_check
  if (found !== 'ok') throw new Error(`it is damaged (${found && oneLine(found)})`)
}

/** Whether the file begins as every database of SQLite does. An empty file does not. */
export const isDatabase = (path: string): boolean => {
  const start = Buffer.alloc(16)
  try {
    const descriptor = openSync(path, 'r')
    readSync(descriptor, start)
    closeSync(descriptor)
  } catch (error) {
    throw cannot(`read ${path}`, error)
  }
  return beginsAsDatabase(start)
}

export const beginsAsDatabase = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 16)).toString('latin1') === 'SQLite format 3\0'

import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { sizeOf } from './files.ts'
import type { Migration } from './load-migrations.ts'
import { missingMigrations } from './migrations.ts'

export interface Examined {
  /** The migrations that it lacks, in order. */
  readonly missing: readonly Migration[]
  /** Whether it is a data file already, and no empty one. */
  readonly hasTables: boolean
}

/** `none` reads the header and the schema, `small` also every page of a file up to 32 MiB, `full` of any file. */
export type Depth = 'none' | 'small' | 'full'

/**
 * Whole files are read at 0.8 to 1.1 s a GB when they are in memory already, and as slowly as the disk is when not. So
 * every start looks at the header, the length and the schema (1 ms whatever the size), and reads all pages of a small
 * file only (up to 30 ms). In a larger one a damaged page shows when a request meets it, or in the next backup, which
 * reads all of it.
 */
const smallBytes = 32 * 1024 * 1024

/**
 * Looks at a database without changing a byte of it or of its log.
 *
 * @throws Error that says what it is: damaged, no database, another program's, of a newer version; see `cannot`.
 */
export const examine = (path: string, depth: Depth, list?: readonly Migration[]): Examined => {
  const [bytes, logBytes] = [sizeOf(path), sizeOf(`${path}-wal`)]
  refuseLoneLog(path)
  // The last connection that may write moves the log into the file when it closes, which takes 5 s a GB, and removes the
  // log of what is no database. One that only reads leaves both alone, but would make a log where there is none.
  const db = new Database(path, logBytes > 0 ? { readonly: true } : { readwrite: true, create: false })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA query_only = ON')
    const names = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    const hasTables = names.length > 0
    if (hasTables && !names.some(({ name }) => name === 'migrations'))
      throw new Error('it is a database of another program')
    if (depth === 'full' || (depth === 'small' && bytes + logBytes <= smallBytes)) checkPages(db)
    return { missing: missingMigrations(db, list), hasTables }
  } finally {
    db.close()
  }
}

/** SQLite would remove the log. No crash leaves one alone: the first page is in the file before there is a log. */
export const refuseLoneLog = (path: string): void => {
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0)
    throw new Error(`it is missing or empty, but ${basename(path)}-wal is not`)
}

/** Reads every page: 1 s a GB. Throws when one is damaged. */
export const checkPages = (db: Database): void => {
  const found = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()?.integrity_check
  if (found !== 'ok') throw new Error(`it is damaged (${found?.replaceAll(/\s+/g, ' ')})`)
}

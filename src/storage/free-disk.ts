import type { Database } from 'bun:sqlite'
import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { sizeOf } from './files.ts'
import type { Migration } from './load-migrations.ts'

/** Bytes that this user may still write to the disk of a folder; `Infinity` if its file system does not know. */
export const freeBytes = (folder: string): number => {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

/**
 * To be called before a file is written that is known to be large: a disk that is full fails every other write too.
 *
 * @param where the folder in words
 * @throws Error with both numbers if less is free
 */
export const requireFree = (folder: string, bytes: number, where = 'its folder'): void => {
  const free = freeBytes(folder)
  if (free < bytes + spareBytes)
    throw new Error(
      `that needs ${Math.ceil((bytes + spareBytes) / 1e6)} MB of free disk space in ${where}, which has ${Math.floor(free / 1e6)} MB`,
    )
}

/** Bytes that stay free for other writes, and for what is written beside: pages in memory, the schema, blocks. */
const spareBytes = 4 * 1024 * 1024

/** About how large a copy of the database will be: it has no free pages. */
export const copyBytes = (db: Database): number => {
  const { page_count, freelist_count, page_size } = pagesOf(db)
  return (page_count - freelist_count) * page_size
}

const pagesOf = (db: Database) => {
  const read = (name: string): number => Number(db.query(`PRAGMA ${name}`).values()[0]?.[0])
  return {
    page_count: read('page_count'),
    freelist_count: read('freelist_count'),
    page_size: read('page_size'),
  }
}

/**
 * Checks that an upgrade finds enough room: for the copy, and three times the size of what the migrations rewrite. The old
 * pages and the new ones are in the write-ahead log, and the file grows by the new ones. SQLite keeps the old pages, or
 * sorts the new index, in a temporary file meanwhile. Measured with a file of 410 MB: moving its long values took 4.03
 * times its size, and 1.01 times in the temporary folder. Making a table of 63 MB anew took 3.95 and 1.03.
 *
 * @throws Error with both numbers, before anything is written
 */
export const requireFreeForUpgrade = (db: Database, missing: readonly Migration[]): void => {
  const folder = dirname(db.filename)
  const rewritten = rewrittenBytes(db, missing)
  const temporary = temporaryFolder()
  const isSameDisk = statSync(temporary).dev === statSync(folder).dev
  requireFree(folder, copyBytes(db) + (isSameDisk ? 4 : 3) * rewritten)
  if (rewritten === 0 || isSameDisk) return
  try {
    requireFree(temporary, rewritten, `${temporary}, the folder for temporary files`)
  } catch (error) {
    throw new Error(`${(error as Error).message}; SQLITE_TMPDIR names another`)
  }
}

/**
 * Checks at the end of the migrations' transaction that the pages in the log find room in the file. Else they would be
 * committed, and nothing more could be written.
 */
export const requireFreeToGrow = (db: Database): void => {
  const { page_count, page_size } = pagesOf(db)
  requireFree(dirname(db.filename), Math.max(0, page_count * page_size - sizeOf(db.filename)))
}

/**
 * Bytes of the tables and indexes that the statements change row by row, or make: about those of a new index are its
 * table's other ones. It need not be exact. A migration that needs more fails, and changes nothing.
 */
const rewrittenBytes = (db: Database, missing: readonly Migration[]): number => {
  const statements = missing.flatMap(({ sql }) => sql.replaceAll(/--.*/g, '').split(';'))
  const rewritten = new Set<string>()
  const indexed = new Set<string>()
  for (const statement of statements.map((each) => each.replaceAll(/[`"]/g, '').trim())) {
    const table = /^(?:UPDATE|DELETE FROM|DROP TABLE(?: IF EXISTS)?|ALTER TABLE(?=\s+\w+\s+DROP))\s+(\w+)/i.exec(
      statement,
    )
    if (table?.[1]) rewritten.add(table[1])
    const index = /^CREATE (?:UNIQUE )?INDEX\s.*?\sON\s+(\w+)/is.exec(statement)
    if (index?.[1]) indexed.add(index[1])
    if (/^(?:INSERT|REPLACE|WITH)\b/i.test(statement))
      for (const name of statement.match(/\w+/g) ?? []) rewritten.add(name)
  }
  if (rewritten.size + indexed.size === 0) return 0
  const isChanged = ({ table, isIndex }: Size) => rewritten.has(table) || (isIndex && indexed.has(table))
  return sizesIn(db).reduce((sum, size) => sum + (isChanged(size) ? size.bytes * overhead : 0), 0)
}

/** Each page in the log has a header, and new pages may be less full. */
const overhead = 1.03

interface Size {
  readonly table: string
  readonly isIndex: boolean
  readonly bytes: number
}

/** Reads all pages: 1 s a GB. */
const sizesIn = (db: Database): Size[] =>
  db
    .query<{ table: string; isIndex: number; bytes: number }, []>(
      `SELECT tbl_name AS "table", type = 'index' AS isIndex, pgsize AS bytes
       FROM sqlite_schema JOIN dbstat ON dbstat.name = sqlite_schema.name AND dbstat.aggregate = TRUE`,
    )
    .all()
    .map((row) => ({ ...row, isIndex: row.isIndex === 1 }))

/** The folder that SQLite takes for its temporary files (https://www.sqlite.org/tempfiles.html, section 5). */
const temporaryFolder = (): string => {
  if (process.platform === 'win32') return tmpdir()
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp']
  return folders.find((folder) => folder && isWritable(folder)) ?? '.'
}

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

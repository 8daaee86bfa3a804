import { Database } from 'bun:sqlite'
import { shownLine } from '../base/short-text.ts'
import type { Migration } from './load-migrations.ts'
import { migrate } from './migrations.ts'

interface Part {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/**
 * Refuses a file whose tables and indexes are not those that the migrations make, or that has a trigger or a view of
 * another program: a trigger acts whenever something is stored, and a changed table may refuse it. Other tables may be
 * there, as Litestream and ANALYZE add theirs. Takes 8 ms.
 *
 * @param applied the migrations that the file says it has
 * @throws Error that names the first part that differs
 */
export const refuseForeignParts = (db: Database, applied: readonly Migration[]): void => {
  const own = ownParts(applied)
  const isOwnTable = new Set([...own.values()].map(({ table }) => table))
  const found = partsOf(db)
  for (const [key, { type, name, table, sql }] of found) {
    const expected = own.get(key)
    if (!expected && (isOwnTable.has(table) || type === 'trigger' || type === 'view'))
      throw new Error(`its ${type} ${shownName(name)} is not one of Formbox; remove it first`)
    if (expected && bare(expected.sql) !== bare(sql))
      throw new Error(`its ${type} ${shownName(name)} is not as Formbox made it`)
  }
  for (const [key, { type, name }] of own)
    if (!found.has(key)) throw new Error(`its ${type} ${shownName(name)} is missing`)
}

const ownParts = (applied: readonly Migration[]): Map<string, Part> => {
  const db = new Database(':memory:')
  try {
    migrate(db, applied)
    return partsOf(db)
  } finally {
    db.close()
  }
}

const partsOf = (db: Database): Map<string, Part> => {
  const parts = db.query<Part, []>('SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema ORDER BY type, name')
  return new Map(parts.all().map((part) => [`${part.type} ${part.name}`, part]))
}

/** Programs that write a database anew quote names in other ways. */
const bare = (sql: string | null): string | undefined => sql?.replaceAll(/[\s"`]/g, '')

const shownName = (name: string): string => JSON.stringify(shownLine(name, 100))

import type { Database } from 'bun:sqlite'
import { version as ownVersion } from '../../package.json'
import { sha256 } from '../base/hash.ts'
import { loadMigrations } from './load-migrations.ts' with { type: 'macro' }
import type { Migration } from './load-migrations.ts'

/** Read from `drizzle/` when the executable is built. */
export const migrations: readonly Migration[] = loadMigrations()

/**
 * Upgrades the file to the schema of this executable, in one transaction: completely or not at all.
 *
 * Drizzle's own migrator cannot be used. It runs in a transaction, in which the `PRAGMA foreign_keys=OFF` of a table
 * rebuild has no effect, so that dropping the old table deletes all rows that refer to it. And it notices neither a file
 * of a newer version nor a migration that was changed.
 *
 * @param checkAtEnd takes everything back if it throws
 * @throws Error if the file was written by a newer version, or by a migration that this executable does not have
 */
export const migrate = (
  db: Database,
  list: readonly Migration[] = migrations,
  checkAtEnd: (db: Database) => void = () => {},
): void => {
  db.run('PRAGMA foreign_keys = OFF')
  try {
    db.transaction(() => {
      applyMissing(db, list)
      checkAtEnd(db)
    }).immediate()
  } finally {
    db.run('PRAGMA foreign_keys = ON')
  }
}

/** The migrations that have not been applied to the file, in order. Throws as `migrate` does. */
export const missingMigrations = (db: Database, list: readonly Migration[] = migrations): readonly Migration[] => {
  const hasTable = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get() !== null
  const applied = hasTable ? db.query<Applied, []>('SELECT name, hash FROM migrations ORDER BY name').all() : []
  const other = applied.find(({ name, hash }, position) => {
    const own = list[position]
    return own && (own.name !== name || hashOf(own) !== hash)
  })
  if (other)
    throw new Error(
      `it was written by an unreleased version of Formbox (its migration ${other.name} differs); ` +
        'export its forms with that version (formbox export) and import them into this one (formbox import)',
    )
  if (applied.length > list.length)
    throw new Error(
      `it was written by a newer version of Formbox (it has ${applied.at(-1)?.name}); version ${readVersion(db)} or later can read it`,
    )
  return list.slice(applied.length)
}

interface Applied {
  readonly name: string
  readonly hash: string
}

const applyMissing = (db: Database, list: readonly Migration[]): void => {
  db.run('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL) STRICT')
  const missing = missingMigrations(db, list)
  if (missing.length === 0) return
  for (const migration of missing) {
    const statements = migration.sql.replace(/^PRAGMA foreign_keys\s*=\s*(ON|OFF);/gim, '')
    // One of nothing but comments says that commands have other inputs.
    if (statements.replaceAll(/--.*/g, '').trim() !== '') db.run(statements)
    db.query('INSERT INTO migrations VALUES (?, ?)').run(migration.name, hashOf(migration))
  }
  writeVersion(db)
  if (db.query('PRAGMA foreign_key_check').get() !== null)
    throw new Error(`migration ${missing.at(-1)?.name} would leave rows that refer to missing rows`)
}

/** Stores which Formbox made the last migration, 1.2.3 as 1002003. Older ones name it when they refuse the file. */
const writeVersion = (db: Database): void => {
  const [major = 0, minor = 0, patch = 0] = ownVersion.split(/[.-]/).map(Number)
  db.run(`PRAGMA user_version = ${(major * 1000 + minor) * 1000 + patch}`)
}

const readVersion = (db: Database): string => {
  const number = db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
  return [Math.floor(number / 1_000_000), Math.floor(number / 1000) % 1000, number % 1000].join('.')
}

const hashOf = (migration: Migration): string => sha256(migration.sql, 'hex')

import type { Database } from 'bun:sqlite'
import { loadMigrations } from './load-migrations.ts' with { type: 'macro' }

export interface Migration {
  readonly name: string
  readonly sql: string
}

/** Read from `drizzle/` when the executable is built. */
export const migrations: readonly Migration[] = loadMigrations()

/**
 * Brings the file to the schema of this executable, in one transaction: whole or not at all.
 *
 * Drizzle's own migrator will not do: it runs inside a transaction, where a table rebuild's `PRAGMA foreign_keys=OFF`
 * has no effect, so that dropping the old table deletes every row that refers to it; and it neither notices a file of a
 * newer version nor a migration that was changed.
 *
 * @throws Error when the file was written by a newer version, or by a migration that this executable does not have.
 */
export const migrate = (db: Database, list: readonly Migration[] = migrations): void => {
  db.run('PRAGMA foreign_keys = OFF')
  try {
    db.transaction(() => applyMissing(db, list)).immediate()
  } finally {
    db.run('PRAGMA foreign_keys = ON')
  }
}

const applyMissing = (db: Database, list: readonly Migration[]): void => {
  db.run('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL) STRICT')
  const applied = db.query<{ name: string; hash: string }, []>('SELECT name, hash FROM migrations ORDER BY name').all()
  if (applied.length > list.length)
    throw new Error(`the data file was written by a newer version of Formbox (it has ${applied.at(-1)?.name})`)
  applied.forEach(({ name, hash }, position) => {
    const own = list[position]
    if (own?.name !== name || hashOf(own) !== hash)
      throw new Error(`the data file was written by another build of Formbox (its migration ${name} differs)`)
  })
  const missing = list.slice(applied.length)
  for (const migration of missing) {
    db.run(migration.sql.replace(/^PRAGMA foreign_keys\s*=\s*(ON|OFF);/gim, ''))
    db.query('INSERT INTO migrations VALUES (?, ?)').run(migration.name, hashOf(migration))
  }
  if (missing.length > 0 && db.query('PRAGMA foreign_key_check').get() !== null)
    throw new Error(`migration ${missing.at(-1)?.name} would leave rows that refer to nothing`)
}

const hashOf = (migration: Migration): string => new Bun.CryptoHasher('sha256').update(migration.sql).digest('hex')

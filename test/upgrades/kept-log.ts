// A log of a version, and what that version made of it. Machines of a cluster are upgraded one at a time, so every later
// version has to make the same of it, whenever it migrates.
import type { Database } from 'bun:sqlite'

/** Of a kept log, compressed. */
export const maxBytes = 100_000

export interface KeptLog {
  /** How many migrations the version had. */
  readonly migrations: number
  /** Batches, executed on a file without rows. */
  readonly rows: readonly string[]
  /** Everything in the file after that. */
  readonly tables: Tables
}

type Tables = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>
type Value = string | number | null | { readonly base64: string }

/** All rows by tables, in the order of their keys. */
export const tablesOf = (client: Database): Tables =>
  Object.fromEntries(namesOf(client).map((name) => [name, rowsOf(client, name)]))

const namesOf = (client: Database): string[] =>
  client
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT IN ('migrations', 'log_position', 'sqlite_sequence') ORDER BY name`,
    )
    .all()
    .map(({ name }) => name)

const rowsOf = (client: Database, table: string) => {
  const keys = client.query<{ name: string }, [string]>(
    'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk',
  )
  const order = keys.all(table).map(({ name }) => name)
  const rows = client.query<Record<string, Value | Uint8Array>, []>(
    `SELECT * FROM ${table} ORDER BY ${order.join(', ')}`,
  )
  return rows
    .all()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]): [string, Value] => [
          name,
          value instanceof Uint8Array ? { base64: value.toBase64() } : value,
        ]),
      ),
    )
}

/** Inserts what `tablesOf` returned. */
export const fill = (client: Database, tables: Tables): void => {
  client.run('PRAGMA foreign_keys = OFF')
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows) {
      const names = Object.keys(row)
      const values = Object.values(row).map((value) =>
        typeof value === 'object' && value !== null ? Uint8Array.fromBase64(value.base64) : value,
      )
      client
        .query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
        .run(...values)
    }
  client.run('PRAGMA foreign_keys = ON')
}

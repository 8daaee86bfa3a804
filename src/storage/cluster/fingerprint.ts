import type { Database } from 'bun:sqlite'
import { sha256 } from '../../base/hash.ts'

/** SHA-256 in hexadecimal. */
export interface Fingerprint {
  readonly schema: string
  /** One hash for each table. */
  readonly tables: Readonly<Record<string, string>>
  /** Hash of all of that. */
  readonly all: string
}

/** Tables about this machine alone. */
const localTables = ['log_position']

/**
 * Tells whether two data files hold the same rows, however they are laid out in the file. It needs little memory, but
 * reads the whole file, 100 to 300 MB a second, and blocks its thread meanwhile: no server that answers may call it.
 */
export const fingerprintOf = (client: Database): Fingerprint =>
  // One state, also if another connection writes meanwhile.
  client.transaction(() => {
    const names = client.query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    const shared = names.all().filter(({ name }) => !localTables.includes(name))
    const schema = schemaHash(client)
    const tables = Object.fromEntries(shared.map(({ name }) => [name, tableHash(client, name)]))
    return {
      schema,
      tables,
      all: sha256(JSON.stringify([schema, tables]), 'hex'),
    }
  })()

const schemaHash = (client: Database): string => {
  const parts = client.query('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').values()
  return sha256(JSON.stringify(parts), 'hex')
}

/** Every table is STRICT: the type of a column, which is in the schema, tells an integer from a real number. */
const tableHash = (client: Database, table: string): string => {
  const hash = new Bun.CryptoHasher('sha256')
  const columns = client.query<Column, [string]>('SELECT name, pk FROM pragma_table_info(?) ORDER BY cid').all(table)
  const key = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  const rows = client.prepare<Record<string, Value>, []>(
    `SELECT ${quoted(columns)} FROM "${table}" ORDER BY ${quoted(key)}`,
  )
  try {
    for (const row of rows.iterate()) {
      const values = Object.values(row)
      hash.update(JSON.stringify(values.map((value) => (isBytes(value) ? [value.length] : value))))
      for (const value of values) if (isBytes(value)) hash.update(value)
    }
  } finally {
    rows.finalize()
  }
  return hash.digest('hex')
}

interface Column {
  readonly name: string
  /** Its position in the primary key, from 1; 0 if it is not in it. */
  readonly pk: number
}

type Value = string | number | null | Uint8Array

const isBytes = (value: Value | undefined): value is Uint8Array => value instanceof Uint8Array

const quoted = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import type { Migration } from '../../src/storage/load-migrations.ts'
import { migrate, migrations } from '../../src/storage/migrations.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { dataFile } from './sound.ts'

const openFile = (folder = temporaryFolder()) => {
  const path = dataFile(folder)
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA foreign_keys = ON')
  afterThisTest(() => db.close())
  const rows = (query: string) => db.query(query).all() as Record<string, unknown>[]
  /** Everything that the file holds, schema and rows. */
  const contents = () => {
    const names = rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map(({ name }) => name)
    return [rows('SELECT * FROM sqlite_schema ORDER BY name'), names.map((name) => rows(`SELECT * FROM "${name}"`))]
  }
  return { db, path, rows, contents }
}

/** Two tables as drizzle-kit would make them, and rows that refer to each other. */
const first: Migration = {
  name: '0000_first',
  sql: `CREATE TABLE \`parents\` (\`id\` integer PRIMARY KEY NOT NULL, \`name\` text) STRICT;
--> statement-breakpoint
CREATE TABLE \`children\` (\`id\` integer PRIMARY KEY NOT NULL, \`parent\` integer NOT NULL,
  FOREIGN KEY (\`parent\`) REFERENCES \`parents\`(\`id\`) ON UPDATE no action ON DELETE cascade) STRICT;`,
}
/** What drizzle-kit writes when a column changes: the table is made anew. */
const rebuild: Migration = {
  name: '0001_rebuild',
  sql: `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE \`__new_parents\` (\`id\` integer PRIMARY KEY NOT NULL, \`name\` text NOT NULL) STRICT;
--> statement-breakpoint
INSERT INTO \`__new_parents\`("id", "name") SELECT "id", "name" FROM \`parents\`;--> statement-breakpoint
DROP TABLE \`parents\`;--> statement-breakpoint
ALTER TABLE \`__new_parents\` RENAME TO \`parents\`;--> statement-breakpoint
PRAGMA foreign_keys=ON;`,
}
const fill = "INSERT INTO parents VALUES (1, 'Ada'), (2, 'Bob'); INSERT INTO children VALUES (10, 1), (11, 1), (20, 2)"

describe('migrate', () => {
  test('brings an empty file to the schema, and finds nothing to do the second time', () => {
    const { db, contents } = openFile()
    migrate(db)
    const before = contents()
    migrate(db)
    expect(contents()).toEqual(before)
    expect(db.query('SELECT name FROM migrations ORDER BY name').values().flat()).toEqual(
      migrations.map(({ name }) => name),
    )
    expect(db.query('PRAGMA foreign_keys').values()).toEqual([[1]])
  })

  test('makes a table anew without deleting the rows that refer to it', () => {
    const { db, rows } = openFile()
    migrate(db, [first])
    db.run(fill)
    migrate(db, [first, rebuild])
    expect(rows('SELECT id FROM children ORDER BY id').map(({ id }) => id)).toEqual([10, 11, 20])
    expect(rows("SELECT \"notnull\" FROM pragma_table_info('parents') WHERE name = 'name'")).toEqual([{ notnull: 1 }])
    expect(rows('PRAGMA foreign_key_list(children)')).toMatchObject([{ table: 'parents', on_delete: 'CASCADE' }])
    expect(() => db.run('INSERT INTO children VALUES (30, 99)')).toThrow('FOREIGN KEY')
  })

  test('takes one without statements, which only counts', () => {
    const { db, rows } = openFile()
    const empty = { name: '0002_inputs', sql: '-- Commands have other inputs.\n--> statement-breakpoint\n' }
    migrate(db, [first, rebuild, empty])
    expect(rows('SELECT name FROM migrations').map(({ name }) => name)).toEqual([first.name, rebuild.name, empty.name])
    expect(rows('SELECT count(*) AS count FROM parents')).toEqual([{ count: 0 }])
  })

  const third: Migration = { name: '0002_third', sql: 'CREATE TABLE third (id integer) STRICT;' }
  test.each<[string, readonly Migration[], string]>([
    ['was written by a newer version', [first], 'newer version of Formbox (it has 0001_rebuild)'],
    [
      'was written by a migration that was changed since',
      [{ ...first, sql: `${first.sql} ` }, rebuild],
      '0000_first differs',
    ],
    ['was written by a migration of another name', [first, { ...rebuild, name: '0001_other' }], '0001_rebuild differs'],
    [
      'lacks a migration that comes before one it has',
      [first, { name: '0000_second', sql: '' }, rebuild],
      '0001_rebuild differs',
    ],
  ])('refuses a file that %s, and leaves it as it was', (_, list, message) => {
    const { db, contents } = openFile()
    migrate(db, [first, rebuild])
    db.run(fill)
    const before = contents()
    expect(() => migrate(db, [...list, ...(list.length > 1 ? [third] : [])])).toThrow(message)
    expect(contents()).toEqual(before)
    expect(db.query('PRAGMA foreign_keys').values()).toEqual([[1]])
  })

  test.each<[string, string, string]>([
    [
      'has an error in its last statement',
      `${rebuild.sql} CREATE TABLE third (id integer) STRICT; SELECT nonsense`,
      'nonsense',
    ],
    [
      'breaks a constraint',
      `INSERT INTO children VALUES (30, 1); ${rebuild.sql} INSERT INTO parents VALUES (1, 'again')`,
      'UNIQUE',
    ],
    [
      'leaves rows that refer to nothing',
      'DELETE FROM parents WHERE id = 1',
      '0001_broken would leave rows that refer to missing rows',
    ],
  ])('leaves the file as it was when a migration %s', (_, sql, message) => {
    const { db, contents } = openFile()
    migrate(db, [first])
    db.run(fill)
    const before = contents()
    expect(() => migrate(db, [first, { name: '0001_broken', sql }])).toThrow(message)
    expect(contents()).toEqual(before)
    expect(db.inTransaction).toBe(false)
    expect(db.query('PRAGMA foreign_keys').values()).toEqual([[1]])

    migrate(db, [first, rebuild])
    expect(contents()).not.toEqual(before)
  })

  test('leaves an empty file empty when the first migration fails', () => {
    const { db, contents } = openFile()
    const before = contents()
    expect(() => migrate(db, [first, { name: '0001_broken', sql: 'CREATE nonsense' }])).toThrow('nonsense')
    expect(contents()).toEqual(before)
  })
})

import { describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join, relative } from 'node:path'
import { getTableColumns, getTableName, is, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import * as tables from '../../src/storage/tables.ts'
import { temporaryFolder } from '../harness.ts'
import { rowsOf } from './sound.ts'

describe('the schema', () => {
  const declared = Object.values(tables).filter((value) => is(value, Table)) as SQLiteTable[]
  const migrated = () => {
    const folder = temporaryFolder()
    prepareDataFolder(folder)
    return folder
  }

  test('has the tables that are declared, all of them STRICT, and clustered where the key is composite', () => {
    const found = rowsOf(
      migrated(),
      "SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    const expected = declared.map((table) => ({
      name: getTableName(table),
      strict: 1,
      wr: Number(getTableConfig(table).primaryKeys.length > 0),
    }))
    expect(found).toEqual(
      [...expected, { name: 'migrations', strict: 1, wr: 0 }].sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
  })

  test.each(declared.map((table) => [getTableName(table), table] as const))(
    'has the columns, keys and indexes of %s that are declared',
    (name, table) => {
      const folder = migrated()
      const { primaryKeys, foreignKeys, indexes } = getTableConfig(table)
      const clustered = primaryKeys[0]?.columns.map((column) => column.name) ?? []
      expect(
        rowsOf(
          folder,
          'SELECT name, lower(type) AS type, "notnull", dflt_value IS NOT NULL AS hasDefault, pk FROM pragma_table_info(?)',
          name,
        ),
      ).toEqual(
        Object.values(getTableColumns(table)).map((column) => ({
          name: column.name,
          type: column.getSQLType(),
          notnull: Number(column.notNull),
          hasDefault: Number(column.default !== undefined),
          pk: column.primary ? 1 : clustered.indexOf(column.name) + 1,
        })),
      )
      expect(
        rowsOf(
          folder,
          'SELECT "table", "from", "to", lower(on_delete) AS onDelete FROM pragma_foreign_key_list(?) ORDER BY "from"',
          name,
        ),
      ).toEqual(
        foreignKeys
          .map((key) => ({
            table: getTableName(key.reference().foreignTable),
            from: key.reference().columns[0]?.name ?? '',
            to: key.reference().foreignColumns[0]?.name,
            onDelete: key.onDelete ?? 'no action',
          }))
          .sort((one, other) => (one.from < other.from ? -1 : 1)),
      )
      const unique = Object.values(getTableColumns(table))
        .filter((column) => column.isUnique)
        .map((column) => column.uniqueName)
      const found = rowsOf(
        folder,
        'SELECT name, "unique" FROM pragma_index_list(?) WHERE origin = \'c\' ORDER BY name',
        name,
      )
      const expected = [
        ...unique.map((index) => ({ name: index, unique: 1 })),
        ...indexes.map((index) => ({ name: index.config.name, unique: Number(index.config.unique) })),
      ]
      expect(found).toEqual(expected.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)) as never)
    },
  )

  test('is the one for which drizzle-kit would write no migration', async () => {
    const root = join(import.meta.dir, '../..')
    const folder = temporaryFolder()
    cpSync(join(root, 'drizzle'), folder, { recursive: true })
    const files = () => [...new Bun.Glob('**/*').scanSync(folder)].sort()
    const before = files()
    const kit = join(root, 'node_modules/drizzle-kit/bin.cjs')
    // It takes every path for one below the folder that it runs in.
    const out = relative(root, folder)
    const child = Bun.spawn(
      [process.execPath, kit, 'generate', '--dialect', 'sqlite', '--schema', 'src/storage/tables.ts', '--out', out],
      { cwd: root, stdout: 'pipe', stderr: 'pipe' },
    )
    expect(await new Response(child.stdout).text()).toContain('No schema changes')
    expect(files()).toEqual(before)
  })
})

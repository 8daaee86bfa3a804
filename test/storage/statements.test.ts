import { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { Column, is, Param, Placeholder, sql } from 'drizzle-orm'
import { SQLiteDeleteBase, SQLiteInsertBase, SQLiteSelectBase, SQLiteUpdateBase } from 'drizzle-orm/sqlite-core'
import { userReads } from '../../src/accounts/users/user-reads.ts'
import { StatementForLater } from '../../src/storage/drizzle.ts'
import { connect, dataFile } from '../../src/storage/open.ts'
import { statementsInSql } from '../../src/storage/statement.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { forThisFile, startServer } from '../harness.ts'
import { openData } from './data.ts'

/** A query of Drizzle, as it is without our part. */
interface Query {
  _prepare(isOneTime: false): DrizzleQuery
}

/** Prepares all that reads and writes on a server, at once instead of when it first runs. */
const prepareAll = async () => {
  const queries = new Set<Query>()
  const spies = [SQLiteSelectBase, SQLiteInsertBase, SQLiteUpdateBase, SQLiteDeleteBase].map(({ prototype }) => {
    const later = prototype.prepare
    return spyOn(prototype as { prepare(): unknown }, 'prepare').mockImplementation(function (this: never) {
      const statement: unknown = later.call(this)
      if (!(statement instanceof StatementForLater)) return statement
      queries.add(this)
      statement.make()
      return statement
    })
  })
  const prepare = spyOn(Database.prototype, 'prepare')
  try {
    const server = await startServer()
    // The pages and the API are loaded with their first request.
    for (const path of ['/sign-in', '/api/v1/forms']) await server.fetch(path)
    const db = connect(server.folder)
    joinWrites(db)
    userReads(db).findUser('ada@example.com')
    db.$client.close()
    const inSql = (await writtenInSql()).map(({ text }) => text)
    const statements = [...new Set([...prepare.mock.calls.map(([text]) => text), ...inSql])]
    return { file: dataFile(server.folder), queries, statements: statements.filter((text) => text.includes('?')) }
  } finally {
    for (const spy of [...spies, prepare]) spy.mockRestore()
  }
}

let preparing: ReturnType<typeof prepareAll> | undefined
/** The SQL of every statement that a server prepares: for reading when it starts, and for writing in its thread. */
const preparedStatements = () => (preparing ??= forThisFile(prepareAll))

const sources = join(import.meta.dir, '../../src')

/** All statements that are written in SQL, in whatever file. */
const writtenInSql = async () => {
  for (const file of new Glob('**/*.ts').scanSync(sources))
    if (readFileSync(join(sources, file), 'utf8').includes("storage/statement.ts'")) await import(join(sources, file))
  return statementsInSql
}

/** What Drizzle makes of a query, without our part. */
interface DrizzleQuery extends Pick<StatementForLater, 'run' | 'all' | 'get' | 'values'> {
  readonly query: { readonly params: readonly unknown[] }
  readonly fields?: readonly { readonly field: unknown }[]
}

/** What SQLite might return for a column. */
const storedAs = (field: unknown, position: number): unknown => {
  const type = is(field, Column) ? field.dataType : 'number'
  if (type === 'buffer') return new Uint8Array([position])
  return type === 'string' ? `text ${position}` : position
}

describe('a statement', () => {
  test('binds each value as `+?`, so that SQLite plans it once and not anew on each run', async () => {
    const { statements } = await preparedStatements()
    expect(statements.length).toBeGreaterThan(30)
    // Some of each kind that would be planned anew.
    for (const part of ['limit', 'offset', 'order by', 'inner join', '>= '])
      expect(statements.filter((text) => text.includes(part)).length, part).toBeGreaterThan(0)
    expect(statements.filter((text) => /(?<!\+)\?/.test(text))).toEqual([])
  })

  test('is planned as it would be with `?`, whatever is bound', async () => {
    const { file, statements } = await preparedStatements()
    const db = new Database(file, { readonly: true })
    const planOf = (text: string, value: string | number | null) => {
      const values = new Array(text.split('?').length - 1).fill(value)
      const steps = db.prepare<{ detail: string }, typeof values>(`EXPLAIN QUERY PLAN ${text}`).all(...values)
      return steps.map(({ detail }) => detail)
    }
    // SQLite takes 0 and 1 for more likely than other values.
    for (const text of statements)
      for (const value of ['', '~', 0, 1, 20, null])
        expect({ text, plan: planOf(text, value) }).toEqual({ text, plan: planOf(text.replaceAll('+?', '?'), value) })
    // With a limit, a scan ends after as many rows as it gives. `json_each` and what comes of it are bound values,
    // `lately`, `newer`, `page` and `due` have limits of their own, `meant` is of receivers in use. Who names no list goes
    // through all submissions of a form.
    const scan =
      /^SCAN (?!json_each|added|webhook|found|lately|newer|page|meant|due)|^SEARCH (submissions|pieces|tallies) .*\(form=\?\)$/
    const isLong = (text: string, step: string) =>
      step.includes('TEMP B-TREE') || (scan.test(step) && !text.endsWith(' limit +?'))
    const long = statements.filter((text) => planOf(text, '').some((step) => isLong(text, step)))
    // The lists by activity and the inbox sort the forms of one user, the page of spam the reasons of the newest 2,000, what
    // counts the submissions of 30 days their identifiers, and a recount the beginnings of 128 stretches.
    expect(long.toSorted(), 'statements that go through a whole table, or sort').toEqual([
      expect.stringContaining('row_number()'),
      expect.stringContaining('ORDER BY latest_id DESC'),
      expect.stringContaining('ORDER BY latest_id DESC'),
      expect.stringContaining('GROUP BY reason'),
      expect.stringMatching(/^SELECT sum\(.*OVER \(ORDER BY id\).* FROM \(.*json_each/s),
      // The same, of a menu.
      expect.stringMatching(/^select "number", "id", "title",.* order by "forms"\."latest_id" desc$/),
      expect.stringContaining('order by "forms"."latest_id" asc'),
      expect.stringContaining('order by "forms"."latest_id" desc'),
    ])
    db.close()
  })

  test('binds and returns the same as with Drizzle alone', async () => {
    const { queries } = await preparedStatements()
    expect(queries.size).toBeGreaterThan(200)
    const bound: unknown[][] = []
    let rows: unknown[][] = []
    const note = (...values: unknown[]) => {
      bound.push(values)
      return rows
    }
    const prepare = spyOn(Database.prototype, 'prepare').mockReturnValue({
      run: note,
      all: note,
      values: note,
    } as never)
    try {
      for (const query of queries) {
        const drizzles = query._prepare(false)
        const ours = new StatementForLater(() => query._prepare(false))
        const named = drizzles.query.params.map((param) => (is(param, Param) ? param.value : param))
        const given = Object.fromEntries(
          named.flatMap((param) => (is(param, Placeholder) ? [[param.name, `value of ${param.name}`]] : [])),
        )
        const stored = (drizzles.fields ?? []).map(({ field }, position) => storedAs(field, position))
        for (rows of [[], [stored, stored.map(() => null)]])
          for (const how of ['run', 'all', 'get', 'values'] as const) {
            const expected = drizzles[how](given)
            expect(ours[how](given)).toStrictEqual(expected)
            const [theirValues, ourValues] = bound.splice(0)
            expect(ourValues).toStrictEqual(theirValues)
          }
      }
    } finally {
      prepare.mockRestore()
    }
  })

  test('that is written in SQL returns the columns of which its rows are', async () => {
    const { db } = openData()
    const written = await writtenInSql()
    expect(written.length).toBeGreaterThan(20)
    for (const { text, columns } of written) {
      const prepared = db.$client.prepare(text) as ReturnType<Database['prepare']> & { declaredTypes: unknown[] }
      const [names, types] = [prepared.columnNames, prepared.declaredTypes]
      const returned = names.map((name, position) => ({ name, type: types[position] }))
      const declared = Object.entries(columns).map(([name, column]) =>
        is(column, Column) ? { name: column.name, type: column.getSQLType().toUpperCase() } : { name, type: null },
      )
      expect({ text, columns: returned }).toEqual({ text, columns: declared })
    }
  })

  test('keeps values as they are', () => {
    const { db } = openData()
    const values = ['007', ' 1.50 ', '', '1e3', null, 0, -1, 2 ** 53 - 1, 0.5, new Uint8Array([48, 55])]
    for (const value of values) {
      const [row] = db.values<[unknown, string]>(sql`select ${value}, typeof(${value})`)
      const type = value === null ? 'null' : { string: 'text', object: 'blob' }[typeof value as string]
      expect(row).toEqual([value, type ?? (Number.isInteger(value) ? 'integer' : 'real')])
    }
  })

  test('compares and stores text that looks like a number as text, in a STRICT table', () => {
    const { db, userId, run, createForm } = openData()
    const formId = createForm(userId, '007')
    const title = (where: ReturnType<typeof sql>) => db.values(sql`select title from forms where ${where}`)
    expect(title(sql`title = ${'007'}`)).toEqual([['007']])
    expect(title(sql`title = ${7}`)).toEqual([])
    expect(title(sql`title = ${'7'}`)).toEqual([])
    const [[number]] = db.values<[number]>(sql`select number from forms where id = ${formId}`) as [[number]]
    expect(title(sql`number = ${String(number)}`)).toEqual([['007']])
    run('updateForms', { userId, now: 1, forms: [{ id: formId, title: '0x10', description: null, returnUrl: null }] })
    expect(db.values(sql`select title, description from forms where id = ${formId}`)).toEqual([['0x10', null]])
  })

  test('comes from a connection that is opened in one place', () => {
    const opening = [...new Glob('**/*.ts').scanSync(sources)].filter((file) =>
      /\bdrizzle\(|\bnew BunSQLiteDatabase\(/.test(readFileSync(join(sources, file), 'utf8')),
    )
    expect(opening).toEqual(['storage/drizzle.ts'])
  })
})

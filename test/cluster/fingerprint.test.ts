import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { newId } from '../../src/base/id.ts'
import { fingerprintOf } from '../../src/storage/cluster/fingerprint.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'

/** Tables whose rows differ between two files. */
const differences = (one: Database, other: Database): string[] => {
  const [{ tables }, others] = [fingerprintOf(one), fingerprintOf(other)]
  return Object.keys(tables).filter((name) => tables[name] !== others.tables[name])
}

const inMemory = (...statements: readonly string[]): Database => {
  const db = new Database(':memory:')
  afterThisTest(() => db.close())
  for (const statement of statements) db.run(statement)
  return db
}

describe('the fingerprint of a data file', () => {
  test('is that of its copy, whose rows lie elsewhere, and changes with one value in one table', () => {
    const { db, folder, formId, userId, run, submit } = openData()
    const ids = submit(
      formId,
      Array.from({ length: 300 }, (_, i) => 1e12 + i),
    )
    run('createSubmission', { formId, id: newId(2e12), data: `{"a":"${'ü'.repeat(50_000)}"}`, fieldNames: ['a'] })
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: ids.slice(0, 100) })
    const path = join(folder, 'copy.db')
    db.$client.query('VACUUM INTO ?').run(path)
    const copy = new Database(path)
    afterThisTest(() => copy.close())
    expect(fingerprintOf(copy)).toEqual(fingerprintOf(db.$client))

    copy.run('UPDATE pieces SET bytes = zeroblob(octet_length(bytes)) WHERE position = 1')
    expect(differences(copy, db.$client)).toEqual(['pieces'])
    expect(fingerprintOf(copy).all).not.toBe(fingerprintOf(db.$client).all)
    expect(fingerprintOf(copy).schema).toBe(fingerprintOf(db.$client).schema)
    db.$client.run("UPDATE submissions SET data = '{}' WHERE id = ?", [ids.at(-1) as string])
    expect(differences(copy, db.$client)).toEqual(['pieces', 'submissions'])
  })

  test('does not depend on the order in which rows came, and leaves out what is local', () => {
    const tables = [
      'CREATE TABLE t (a TEXT NOT NULL, b INTEGER NOT NULL, c ANY, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID',
      'CREATE TABLE hidden (id TEXT PRIMARY KEY NOT NULL, value ANY) STRICT',
      'CREATE TABLE log_position (one INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT',
    ]
    const one = inMemory(
      ...tables,
      "INSERT INTO t VALUES ('x', 1, 0), ('a', 2, 0)",
      "INSERT INTO hidden VALUES ('a', 1)",
    )
    one.run("INSERT INTO hidden VALUES ('b', 2)")
    const other = inMemory(
      ...tables,
      "INSERT INTO hidden VALUES ('b', 2), ('a', 1)",
      'INSERT INTO log_position VALUES (1, 7)',
    )
    other.run("INSERT INTO t VALUES ('a', 2, 0), ('x', 1, 0)")
    expect(fingerprintOf(one)).toEqual(fingerprintOf(other))
    expect(Object.keys(fingerprintOf(one).tables)).toEqual(['hidden', 't'])
  })

  test('tells values of different types apart, and where one value ends', () => {
    const values = ['NULL', '0', "''", "'0'", "x''", "x'30'", "'[0]'", "'null'", "'a'", "'b'", "x'3030'"]
    const prints = values.flatMap((value) =>
      values.map(
        (next) =>
          fingerprintOf(
            inMemory(
              'CREATE TABLE t (a INTEGER PRIMARY KEY, b ANY, c ANY) STRICT',
              `INSERT INTO t VALUES (1, ${value}, ${next})`,
            ),
          ).all,
      ),
    )
    expect(new Set(prints).size).toBe(values.length ** 2)
  })

  test('has the schema in it: whole numbers and real ones have columns of different types', () => {
    const of = (type: string) =>
      fingerprintOf(inMemory(`CREATE TABLE t (a INTEGER PRIMARY KEY, b ${type}) STRICT`, 'INSERT INTO t VALUES (1, 1)'))
    const [whole, real] = [of('INTEGER'), of('REAL')]
    expect(whole.tables).toEqual(real.tables)
    expect(whole.all).not.toBe(real.all)
  })
})

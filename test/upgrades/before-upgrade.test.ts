import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { lockFolder } from '../../src/storage/folder-lock.ts'
import type { Migration } from '../../src/storage/load-migrations.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { damagePage, fillFolder, middlePage } from '../backup/data.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { dataFile, expectSound, rowsOf } from '../storage/sound.ts'

const next: Migration = { name: '9000_tags', sql: 'CREATE TABLE tags (id TEXT PRIMARY KEY NOT NULL) STRICT;' }
const later: Migration = { name: '9001_titles', sql: "UPDATE forms SET title = 'changed';" }
const broken: Migration = {
  name: '9001_broken',
  sql: "DELETE FROM submissions; UPDATE forms SET title = 'changed'; CREATE nonsense;",
}
const copyName = 'formbox.db.before-9000_tags'

const filled = (bytes = 300_000): { folder: string; before: Buffer } => {
  const folder = temporaryFolder()
  fillFolder(folder, bytes)
  return { folder, before: readFileSync(dataFile(folder)) }
}

/** Everything in the tables, whatever file they are in. */
const contentsOf = (path: string): unknown => {
  const db = new Database(path, { readonly: true })
  try {
    const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return tables.all().map(({ name }) => [name, db.query(`SELECT * FROM ${name}`).values()])
  } finally {
    db.close()
  }
}

describe('an upgrade of the data file', () => {
  test('is made after a copy, which holds everything as it was', () => {
    const { folder } = filled()
    const before = contentsOf(dataFile(folder))
    prepareDataFolder(folder, { list: [...migrations, next, later] })
    const copy = join(folder, copyName)
    expect(contentsOf(copy)).toEqual(before)
    expect((statSync(copy).mode & 0o777).toString(8)).toBe('600')
    expect(rowsOf(folder, 'SELECT title FROM forms')).toEqual([{ title: 'changed' }])
    expect(rowsOf(folder, 'SELECT count(*) AS rows FROM tags')).toEqual([{ rows: 0 }])
    expectSound(folder)
  })

  test('reports each step that may take long, and only if there is data', () => {
    const { folder } = filled()
    const steps: (string | null)[] = []
    const onStep = (step: string | null) => steps.push(step)
    prepareDataFolder(folder, { list: [...migrations, next], onStep })
    prepareDataFolder(folder, { list: [...migrations, next], onStep })
    prepareDataFolder(temporaryFolder(), { onStep })
    const path = dataFile(folder)
    expect(steps).toEqual([`copying ${path} before it is upgraded`, `upgrading ${path}`, null])
  })

  test('that has nothing to change makes no copy, nor does a new file', () => {
    const { folder, before } = filled()
    prepareDataFolder(folder)
    expect(readdirSync(folder)).toEqual(['formbox.db'])
    expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
    const fresh = temporaryFolder()
    prepareDataFolder(fresh, { list: [...migrations, next] })
    expect(readdirSync(fresh)).toEqual(['formbox.db'])
  })

  test('that fails leaves the file as it was to the byte, and the copy; the next one succeeds', () => {
    const { folder, before } = filled()
    const contents = contentsOf(dataFile(folder))
    for (let attempt = 0; attempt < 2; attempt++) {
      const upgrade = () => prepareDataFolder(folder, { list: [...migrations, next, broken] })
      expect(upgrade).toThrow(`cannot upgrade the data file ${dataFile(folder)}: near "nonsense"`)
      expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
      expect(readdirSync(folder).sort()).toEqual(['formbox.db', copyName, 'formbox.lock'])
    }
    prepareDataFolder(folder, { list: [...migrations, next] })
    expect(contentsOf(join(folder, copyName))).toEqual(contents)
    expect(rowsOf(folder, 'SELECT count(*) AS rows FROM tags')).toEqual([{ rows: 0 }])
  })

  test('keeps its copy and the one before it, and of what others put there everything', () => {
    const { folder } = filled()
    const list = [...migrations]
    const copies = () => readdirSync(folder).filter((name) => name.startsWith('formbox.db.before-'))
    writeFileSync(join(folder, 'formbox.db.before-the-holidays'), 'mine')
    writeFileSync(join(folder, 'formbox.db.replaced-20261121T080100Z'), 'replaced')
    for (const number of [9000, 9001, 9002]) {
      list.push({ name: `${number}_step`, sql: `CREATE TABLE t${number} (id TEXT PRIMARY KEY NOT NULL) STRICT;` })
      prepareDataFolder(folder, { list })
    }
    expect(copies().sort()).toEqual([
      'formbox.db.before-9001_step',
      'formbox.db.before-9002_step',
      'formbox.db.before-the-holidays',
    ])
    expect(existsSync(join(folder, 'formbox.db.replaced-20261121T080100Z'))).toBe(true)

    const failing = [...list, { name: '9003_broken', sql: 'CREATE nonsense' }]
    expect(() => prepareDataFolder(folder, { list: failing })).toThrow('cannot upgrade')
    expect(copies()).toHaveLength(4)
    // Older than those that are there, as after a restore; what was made just now stays all the same.
    const restored = filled().folder
    for (const name of ['9001_step', '9002_step']) writeFileSync(join(restored, `formbox.db.before-${name}`), name)
    prepareDataFolder(restored, { list: [...migrations, list.find(({ name }) => name === '9000_step') as Migration] })
    expect(
      readdirSync(restored)
        .filter((name) => name.includes('.before-'))
        .sort(),
    ).toEqual(['formbox.db.before-9000_step', 'formbox.db.before-9002_step'])
  })

  test('waits for no server: while one runs, it is refused, and the file stays', () => {
    const { folder, before } = filled()
    const lock = lockFolder(folder)
    afterThisTest(lock.release)
    const upgrade = (held: object) => prepareDataFolder(folder, { list: [...migrations, next], ...held })
    expect(() => upgrade({})).toThrow('is using the data folder')
    expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
    upgrade({ lock })
    expect(rowsOf(folder, 'SELECT count(*) AS rows FROM tags')).toEqual([{ rows: 0 }])
  })

  test('is not begun on a file with a damaged page', () => {
    const { folder } = filled()
    damagePage(dataFile(folder), middlePage(folder))
    const before = readFileSync(dataFile(folder))
    expect(() => prepareDataFolder(folder, { list: [...migrations, next] })).toThrow('it is damaged')
    expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
    expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([])
  })
})

// Upgrades on a disk that is too small, or just large enough.
import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { prepareDataFolder } from '../../src/db/data-folder.ts'
import { freeBytes } from '../../src/db/free-disk.ts'
import type { Migration } from '../../src/db/load-migrations.ts'
import { migrations } from '../../src/db/migrations.ts'
import { newId } from '../../src/id.ts'
import { fillFolder } from '../backup/data.ts'
import { checkFile } from '../backup/sound-file.ts'
import { formbox, serve } from '../commands/formbox.ts'
import { dataFile, expectSound } from '../storage/sound.ts'
import { resizeDisk, smallDisk } from '../torture/small-disk.ts'

setDefaultTimeout(60_000)

const canMount = smallDisk(1) !== null
if (!canMount) console.log('Upgrades on small disks are not tried: only root can mount one.')

const megabyte = 1024 * 1024

const diskOf = (megabytes: number): string => smallDisk(megabytes) as string

const step = (sql: string): Migration => ({ name: '9000_step', sql })

/** What drizzle-kit writes when a column changes: each row is written anew. */
const rebuild = step(`CREATE TABLE new (form integer NOT NULL, id text NOT NULL, data text NOT NULL) STRICT;
INSERT INTO new SELECT form, id, data FROM submissions;--> statement-breakpoint
DROP TABLE submissions;--> statement-breakpoint
ALTER TABLE new RENAME TO submissions;`)

/** A disk of that size with a file of 10 MB. Temporary files are on another. */
const filled = (megabytes: number): string => {
  const folder = diskOf(40)
  fillFolder(folder, 10 * megabyte, 20_000)
  resizeDisk(folder, megabytes)
  return folder
}

/** The message with which the upgrade must be refused, before it has left anything behind. */
const refusalIn = (folder: string, migration: Migration): string => {
  const before = readFileSync(dataFile(folder))
  let message = 'it was not refused'
  try {
    prepareDataFolder(folder, { list: [...migrations, migration] })
  } catch (error) {
    message = (error as Error).message
  }
  expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
  expect(readdirSync(folder).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])
  return message
}

describe.skipIf(!canMount)('an upgrade on a small disk', () => {
  test('that rewrites a table needs four times its size, and is refused with both numbers where less is free', () => {
    const folder = filled(40)
    const [, needs, free] =
      /^cannot upgrade the data file .*\/formbox\.db: that needs (\d+) MB of free disk space in its folder, which has (\d+) MB$/.exec(
        refusalIn(folder, rebuild),
      ) ?? []
    const size = statSync(dataFile(folder)).size / 1e6
    expect(Number(needs)).toBeGreaterThanOrEqual(4 * size)
    expect(Number(needs)).toBeLessThan(4 * size + 10)
    expect(Number(free)).toBe(Math.floor(freeBytes(folder) / 1e6))
  })

  test('is made where as much is free as it asks for, and leaves an empty log', () => {
    const asked = /needs (\d+) MB/.exec(refusalIn(filled(40), rebuild))?.[1]
    const folder = filled(11 + Number(asked))
    prepareDataFolder(folder, { list: [...migrations, rebuild] })
    expect(readdirSync(folder).sort()).toEqual(['formbox.db', 'formbox.db.before-9000_step', 'formbox.lock'])
    expect(checkFile(dataFile(folder))).toEqual({ check: 'ok', submissions: Math.ceil((10 * megabyte) / 20_000) })
  })

  test('that rewrites a small table, or adds one, needs little more than the copy', () => {
    const folder = filled(30)
    const changes = step(`CREATE TABLE tags (form integer REFERENCES forms (number)) STRICT;
      ALTER TABLE submissions ADD tag text; -- DROP TABLE submissions;
      UPDATE forms SET title = (SELECT max(id) FROM submissions);
      CREATE INDEX submissions_of_tag ON submissions (tag);`)
    prepareDataFolder(folder, { list: [...migrations, changes] })
    expectSound(folder)
  })

  test('is refused where the copy has no room', () => {
    expect(refusalIn(filled(18), step('CREATE TABLE tags (id integer) STRICT;'))).toMatch(
      /: that needs 1\d MB of free disk space in its folder, which has \d MB$/,
    )
  })

  test('is taken back where it turns out to need more than it was thought to', () => {
    const folder = filled(40)
    const before = readFileSync(dataFile(folder))
    const grow = step(`CREATE TABLE tags (tag blob) STRICT;
      INSERT INTO tags WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted LIMIT 1200)
      SELECT randomblob(10000) FROM counted;`)
    expect(() => prepareDataFolder(folder, { list: [...migrations, grow] })).toThrow(
      /^cannot upgrade the data file .*: that needs 1\d MB of free disk space in its folder, which has \d MB$/,
    )
    expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
    expectSound(folder)
  })
})

const form = newId(0)

/** The first version of the file, with long values: a later migration writes each anew. */
const ofFirstVersion = (folder: string): void => {
  prepareDataFolder(folder, { list: migrations.slice(0, 1) })
  const db = new Database(dataFile(folder))
  db.run("INSERT INTO users (id, email, password_hash, form_count) VALUES ('u', 'ada@example.com', 'none', 1)")
  db.run("INSERT INTO forms (number, id, user_id, title) VALUES (1, ?, 'u', 'Contact')", [form])
  const insert = db.prepare('INSERT INTO submissions (form, id, data) VALUES (1, ?, ?)')
  db.transaction(() => {
    for (let i = 0; i < 500; i++) insert.run(newId(0), JSON.stringify({ text: 'x'.repeat(20_000) }))
  })()
  insert.finalize()
  db.close()
}

describe.skipIf(!canMount)('a server of a new version', () => {
  test('with three times the size free is refused; with what it asks for, it listens with an empty log and can write', async () => {
    const folder = diskOf(44)
    ofFirstVersion(folder)
    const before = readFileSync(dataFile(folder))
    const refused = await formbox(['serve', '--data', folder, '--port', '0'])
    expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(
      /^formbox: cannot upgrade the data file .*: that needs 4\d MB of free disk space in its folder, which has 3\d MB\n$/,
    )
    expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
    expect(readdirSync(folder).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])

    const larger = diskOf(11 + Number(/needs (\d+)/.exec(refused.stderr)?.[1]))
    ofFirstVersion(larger)
    const server = await serve(['serve', '--data', larger])
    expect(statSync(`${dataFile(larger)}-wal`).size).toBeLessThan(megabyte)
    const body = new URLSearchParams({ text: 'x'.repeat(500_000) })
    expect((await fetch(`${server.url}/s/${form}`, { method: 'POST', body })).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).exitCode).toBe(0)
    expect(checkFile(dataFile(larger)).check).toBe('ok')
  })

  test('with the folder for temporary files on the same disk needs five times the size', async () => {
    const folder = diskOf(62)
    ofFirstVersion(folder)
    const environment = { SQLITE_TMPDIR: folder }
    const list = () => formbox(['user', 'list', '--data', folder], { environment })
    const { stderr } = await list()
    expect(stderr).toMatch(/: that needs 5\d MB of free disk space in its folder, which has 5\d MB$/m)
    resizeDisk(folder, 12 + Number(/needs (\d+)/.exec(stderr)?.[1]))
    expect(await list()).toMatchObject({ exitCode: 0, stderr: '' })
    expect(checkFile(dataFile(folder)).check).toBe('ok')
  })

  test('is refused where the folder for temporary files is too small, and names it', async () => {
    const [folder, temporary] = [diskOf(80), diskOf(4)]
    ofFirstVersion(folder)
    const { exitCode, stderr } = await formbox(['user', 'list', '--data', folder], {
      environment: { SQLITE_TMPDIR: temporary },
    })
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /: that needs 1\d MB of free disk space in \S+, the folder for temporary files, which has 4 MB; SQLITE_TMPDIR names another$/m,
      ),
    ])
    expect(readdirSync(folder).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])
  })
})

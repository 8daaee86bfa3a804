// Upgrades on a disk that is too small, or just large enough.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../src/base/id.ts'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { freeBytes } from '../../../../src/storage/free-disk.ts'
import type { Migration } from '../../../../src/storage/load-migrations.ts'
import { migrations } from '../../../../src/storage/migrations.ts'
import { fillFolder } from '../../../backup/data.ts'
import { checkFile } from '../../../backup/sound-file.ts'
import { newerProgram } from '../../../cluster/newer.ts'
import { afterThisTest } from '../../../harness.ts'
import { spawnProgram, testSettings } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile, expectSound } from '../../../storage/sound.ts'
import { resizeDisk, smallDisk } from '../../../torture/small-disk.ts'

const canMount = smallDisk(1) !== null
if (!canMount) noteSkipped('Upgrades on small disks are not tried: only root can mount one.')

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

/** The message with which a process whose temporary files are in that folder refuses the upgrade; empty if it is made. */
const upgradeWith = async (temporary: string, folder: string): Promise<string> => {
  const script = `
    import { prepareDataFolder } from ${JSON.stringify(join(import.meta.dir, '../../../../src/storage/data-folder.ts'))}
    import { migrations } from ${JSON.stringify(join(import.meta.dir, '../../../../src/storage/migrations.ts'))}
    try {
      prepareDataFolder(process.argv.at(-1), { list: [...migrations, ${JSON.stringify(rebuild)}] })
    } catch (error) {
      process.stdout.write(error.message)
    }`
  const env = { ...process.env, SQLITE_TMPDIR: temporary }
  const child = Bun.spawn([process.execPath, '-e', script, folder], { env, stderr: 'inherit' })
  const message = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return message
}

describe.skipIf(!canMount)('an upgrade that rewrites a table', () => {
  test('with the folder for temporary files on the same disk needs five times the size', async () => {
    const folder = filled(62)
    const message = await upgradeWith(folder, folder)
    const [, needs] = /: that needs (\d+) MB of free disk space in its folder, which has 5\d MB$/.exec(message) ?? []
    expect(Number(needs)).toBeGreaterThanOrEqual((5 * statSync(dataFile(folder)).size) / 1e6)
    resizeDisk(folder, 12 + Number(needs))
    expect(await upgradeWith(folder, folder)).toBe('')
    expect(checkFile(dataFile(folder)).check).toBe('ok')
  })

  test('is refused where the folder for temporary files is too small, and names it', async () => {
    const folder = filled(80)
    expect(await upgradeWith(diskOf(4), folder)).toMatch(
      /: that needs 1\d MB of free disk space in \S+, the folder for temporary files, which has 4 MB; SQLITE_TMPDIR names another$/,
    )
    expect(readdirSync(folder).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])
  })
})

describe.skipIf(!canMount)('a server of a new version', () => {
  test('is refused where three times the size is free; with what it asks for it listens, has an empty log and writes', async () => {
    const folder = filled(48)
    const form = newId(0)
    const db = new Database(dataFile(folder))
    db.run('UPDATE forms SET id = ?', [form])
    db.close()
    const before = readFileSync(dataFile(folder))
    const program = newerProgram(`CREATE TABLE moved (data text NOT NULL) STRICT;
      INSERT INTO moved SELECT data FROM submissions;
      UPDATE submissions SET data = data || ' ';`)
    const start = () => {
      const environment = { ...testSettings, FORMBOX_DATA: folder }
      const server = spawnProgram([], { environment, wrap: () => [...program, 'serve'] })
      afterThisTest(server.destroy)
      return server
    }

    const refusal = await start().listening.catch((error: Error) => error.message)
    const [, needs, free] =
      /^the server ended with 1: formbox: cannot upgrade the data file .*: that needs (\d+) MB of free disk space in its folder, which has (\d+) MB\n$/.exec(
        refusal,
      ) ?? []
    const size = before.length / 1e6
    expect(Number(needs)).toBeGreaterThanOrEqual(4 * size)
    expect(Number(free)).toBeGreaterThanOrEqual(Math.floor(3 * size))
    expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
    expect(readdirSync(folder).filter((name) => !name.endsWith('lock'))).toEqual(['formbox.db'])

    resizeDisk(folder, 11 + Number(needs))
    const server = start()
    const url = await server.listening
    expect(statSync(`${dataFile(folder)}-wal`).size).toBeLessThan(megabyte)
    const body = new URLSearchParams({ text: 'x'.repeat(500_000) })
    expect((await fetch(`${url}/s/${form}`, { method: 'POST', body })).status).toBe(200)
    server.kill('SIGTERM')
    expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
    expect(checkFile(dataFile(folder)).check).toBe('ok')
  })
})

// The data file, its log or the index of that is replaced or removed while the server runs.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../../../../src/config/config.ts'
import { makeBackups } from '../../../../src/upkeep/jobs/make-backups.ts'
import { fillFolder, submit } from '../../../backup/data.ts'
import { formbox, oneLine, serve } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status
const countIn = (folder: string): number => Number(rowsOf(folder, 'SELECT count(*) AS rows FROM submissions')[0]?.rows)

const form = '0'.repeat(28)

/** A data folder with one form, which has that many submissions. */
const fill = (folder: string, rows: number): void => {
  fillFolder(folder, rows * 2048)
  const db = new Database(dataFile(folder))
  db.run('UPDATE forms SET id = ?, latest_id = (SELECT max(id) FROM submissions)', [form])
  db.close()
}

/** A raw data file of another server, which has changed much more often than a new one. */
const otherFile = (rows: number): string => {
  const folder = temporaryFolder()
  fill(folder, rows)
  const db = new Database(dataFile(folder))
  for (let i = 0; i < 50; i++) db.run(`CREATE TABLE other_${i} (x); DROP TABLE other_${i}`)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return dataFile(folder)
}

interface Way {
  readonly name: string
  /** What the operator does with the data folder, and a backup that was made when the server had 4 submissions. */
  readonly act: (data: string, backup: string) => void
  /** How the line of the server ends, and how many submissions the next start has, of 7 before. */
  readonly line: RegExp
  readonly next: number | 'refused'
  /** How the line of a command begins that runs beside it, before the server has noticed. Undefined if it may run. */
  readonly refusal?: RegExp
}

const replaced =
  /formbox\.db was replaced while the server was running, so nothing is saved; stop it, then restore a backup/
const refused = /was replaced while Formbox \(process \d+\) was running; stop it first$/

const ways: readonly Way[] = [
  {
    name: 'a backup is moved over it',
    act: (data, backup) => renameSync(backup, dataFile(data)),
    line: replaced,
    next: 4,
    refusal: refused,
  },
  {
    name: 'a backup is copied over it in place',
    act: (data, backup) => copyFileSync(backup, dataFile(data)),
    line: replaced,
    next: 4,
  },
  {
    name: 'the file of another server is copied over it in place',
    act: (data) => copyFileSync(otherFile(9), dataFile(data)),
    line: replaced,
    next: 9,
  },
  {
    name: 'it is moved away, and a backup put in its place',
    act: (data, backup) => {
      renameSync(dataFile(data), join(data, 'old.db'))
      renameSync(backup, dataFile(data))
    },
    line: replaced,
    next: 4,
    refusal: refused,
  },
  {
    name: 'it is removed',
    act: (data) => rmSync(dataFile(data)),
    line: /formbox\.db was removed or moved while .*; put it back, or stop the server and restore a backup$/,
    next: 'refused',
    refusal: /it does not exist/,
  },
  {
    name: 'its log is removed',
    act: (data) => rmSync(`${dataFile(data)}-wal`),
    line: /formbox\.db-wal was removed while .*; restart the server$/,
    next: 7,
  },
  {
    name: 'the index of its log is removed',
    act: (data) => rmSync(`${dataFile(data)}-shm`),
    line: /formbox\.db-shm was removed while .*; restart the server$/,
    next: 7,
  },
]

/** A server with 7 submissions, of which the backup has 4. Nothing has been moved out of its log. */
const serveSome = async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  fill(data, 1)
  const server = await serve(['--data', data], { folder })
  await submit(server, form, 3)
  const backup = join(folder, 'backup.db')
  expect(await formbox(['backup', backup, '--data', data])).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await submit(server, form, 3)).length).toBe(3)
  return { server, data, backup, folder }
}

test.each(ways)('nothing is answered 200 that the next start does not have, where $name', async (way) => {
  const { server, data, backup, folder } = await serveSome()
  way.act(data, backup)
  if (way.refusal) {
    const { exitCode, stderr } = await formbox(['form', 'list', '--data', data])
    expect([exitCode, stderr.trim()]).toEqual([1, expect.stringMatching(way.refusal)])
    expect((await formbox(['backup', join(folder, 'other.db'), '--data', data])).stderr.trim()).toMatch(way.refusal)
  }
  // A write looks at the log only when it is written, and not at the index.
  if (way.name.includes('its log')) expect(await statusOf(`${server.url}/healthz`)).toBe(503)
  const after = await submit(server, form, 4)
  expect(after).toEqual([])
  for (const path of ['healthz', 'readyz']) expect(await statusOf(`${server.url}/${path}`)).toBe(503)
  server.kill('SIGTERM')
  const { stderr } = await server.end()
  expect(stderr).toMatch(oneLine)
  expect(stderr.trim()).toMatch(way.line)
  const kept = /kept in (\S+)-wal\n$/.exec(stderr)?.[1]
  // What was moved away in two parts is whole again when they meet.
  if (existsSync(join(data, 'old.db')) && kept !== undefined) {
    renameSync(join(data, 'old.db'), kept)
    expect(new Database(kept).query('SELECT count(*) AS rows FROM submissions').get()).toEqual({ rows: 7 })
  }

  if (way.next === 'refused') {
    const { exitCode, stderr } = await formbox(['serve', '--port', '0', '--data', data])
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('it is missing or empty, but formbox.db-wal is not'),
    ])
    return
  }
  const next = await serve(['--data', data])
  expect(await statusOf(`${next.url}/readyz`)).toBe(200)
  expect((await submit(next, form, 2)).length).toBe(2)
  next.kill('SIGTERM')
  expect(await next.end()).toMatchObject({ exitCode: 0, stderr: '' })
  expectSound(data)
  expect(countIn(data)).toBe(way.next + 2)
})

test('a server whose folder is moved away writes nothing, and goes on when it is back', async () => {
  const { server, data, folder } = await serveSome()
  renameSync(data, join(folder, 'away'))
  expect(await statusOf(`${server.url}/healthz`)).toBe(503)
  expect(await submit(server, form, 4)).toEqual([])
  renameSync(join(folder, 'away'), data)
  expect(await statusOf(`${server.url}/readyz`)).toBe(200)
  expect((await submit(server, form, 2)).length).toBe(2)
  server.kill('SIGTERM')
  expect(await server.end()).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(oneLine) })
  expectSound(data)
  expect(countIn(data)).toBe(9)
})

test.each(['directly', 'by another link, in a linked folder'])(
  'a data file that is a symbolic link to another disk, %s, is whole, with the log beside its target',
  async (how) => {
    const [data, disk] = [temporaryFolder(), temporaryFolder()]
    fill(disk, 3)
    if (how === 'directly') symlinkSync(dataFile(disk), dataFile(data))
    else {
      // `..` of the linked folder is that of its target.
      for (const name of ['links', 'current']) mkdirSync(join(disk, name))
      symlinkSync('../formbox.db', join(disk, 'links/file'))
      symlinkSync('../links/file', join(disk, 'current/formbox.db'))
      symlinkSync(join(disk, 'current'), join(data, 'current'))
      symlinkSync('current/formbox.db', dataFile(data))
    }
    const server = await serve(['--data', data])
    expect((await submit(server, form, 2)).length).toBe(2)
    for (const path of ['healthz', 'readyz']) expect(await statusOf(`${server.url}/${path}`)).toBe(200)
    renameSync(otherFile(1), dataFile(disk))
    expect(await submit(server, form, 2)).toEqual([])
    server.kill('SIGTERM')
    expect((await server.end()).stderr.trim()).toMatch(replaced)
    expect(readdirSync(disk).filter((name) => name.endsWith('.db-wal'))).toEqual([])
  },
)

test('no automatic backup is made of a file that is not the server’s', async () => {
  const dataFolder = temporaryFolder()
  fill(dataFolder, 1)
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const failures: string[] = []
  const job = makeBackups({
    config: { ...parseConfig({}), dataFolder, backupEveryMilliseconds: 1000, backupKeep: 1 },
    isWhole: () => {
      ask()
      return false
    },
    onBackup: () => {},
    now: Date.now,
    onFailure: (reason) => failures.push(reason),
  })
  job.start()
  await asked
  await job.stop()
  expect(failures).toEqual([])
  expect(readdirSync(dataFolder)).toEqual(['formbox.db'])
})

test('what writes to its file as it should is not taken for another: moved logs, backups, VACUUM', async () => {
  const { server, data, backup } = await serveSome()
  const shell = new Database(dataFile(data))
  for (const sql of ['PRAGMA wal_checkpoint(TRUNCATE)', 'VACUUM', 'CREATE TABLE _litestream_seq (id)', 'ANALYZE']) {
    shell.run(sql)
    shell.run('PRAGMA wal_checkpoint(PASSIVE)')
    expect((await submit(server, form, 1)).length).toBe(1)
  }
  shell.close()
  expect(await formbox(['backup', backup, '--force', '--data', data])).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await submit(server, form, 1)).length).toBe(1)
  expect(await statusOf(`${server.url}/healthz`)).toBe(200)
  server.kill('SIGTERM')
  expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readdirSync(data).filter((name) => name.startsWith('formbox.db'))).toEqual(['formbox.db'])
  expect(statSync(dataFile(data)).size).toBeGreaterThan(0)
  expectSound(data)
})

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { partialFile } from '../../../../src/storage/partial-file.ts'
import {
  changeIn,
  damagePage,
  everything,
  fillFolder,
  letGo,
  middlePage,
  refusal,
  submit,
} from '../../../backup/data.ts'
import { formbox, serve } from '../../../commands/formbox.ts'
import { afterThisTest, startServer, temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'
import { smallDisk } from '../../../torture/small-disk.ts'

const canMount = smallDisk(1) !== null
if (!canMount) noteSkipped('Restores to small disks are not tried: only root can mount one.')

/** What a restore leaves beside the data. */
const locks = ['formbox.commands.lock', 'formbox.lock']

const replacedIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes('.replaced-'))

const restore = async (backup: string, data: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await formbox(['restore', backup, '--data', data])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

describe('the drill', () => {
  test('backup, loss, restore: the API answers as on the day of the backup, and what was replaced comes back', async () => {
    const first = await startServer()
    const ada = await first.signUp()
    const contact = await ada.createForm({ title: 'Contact', description: 'Grüße', returnUrl: 'https://example.com/x' })
    const order = await ada.createForm({ title: 'Order' })
    await submit(first, contact, 60)
    await submit(first, order, 5)
    const atBackup = await everything(ada)
    const backup = join(temporaryFolder(), 'backup.db')
    expect((await formbox(['backup', backup, '--data', first.folder])).exitCode).toBe(0)

    await submit(first, order, 3)
    expect((await ada.call('DELETE', `/forms/${contact}`)).status).toBe(200)
    const atLoss = await everything(ada)
    await first.stop()
    letGo(first.folder)
    const output = await restore(backup, first.folder)
    const [kept = ''] = replacedIn(first.folder)
    expect(replacedIn(first.folder)).toEqual([kept])
    expect(kept).toMatch(/^formbox\.db\.replaced-\d{8}T\d{6}Z$/)
    expect(output).toContain(backup)
    expect(output).toContain(kept)
    expect((statSync(dataFile(first.folder)).mode & 0o777).toString(8)).toBe('600')

    const second = await startServer({ folder: first.folder })
    const again = { ...ada, call: callOn(second.url, ada.key) }
    expect(await everything(again)).toEqual(atBackup)
    await submit(second, order, 1)
    expect((await again.call('GET', `/forms/${order}`)).body.submissionCount).toBe(6)
    await second.stop()
    letGo(first.folder)
    expectSound(first.folder)

    await restore(join(first.folder, kept), first.folder)
    const third = await startServer({ folder: first.folder })
    expect(await everything({ ...ada, call: callOn(third.url, ada.key) })).toEqual(atLoss)
    expect(replacedIn(first.folder)).toHaveLength(2)
  })
})

const callOn = (url: string, key: string) => async (method: string, path: string) => {
  const response = await fetch(`${url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('formbox restore', () => {
  const backupOf = async (bytes = 1_000_000): Promise<string> => {
    const data = temporaryFolder()
    fillFolder(data, bytes)
    const backup = join(temporaryFolder(), 'backup.db')
    expect((await formbox(['backup', backup, '--data', data])).exitCode).toBe(0)
    return backup
  }

  test.skipIf(process.platform === 'win32').each<[string, boolean]>([
    ['tells how far it is, and what it did', false],
    ['tells in one line why it is refused', true],
  ])('on a terminal %s', async (_, isDamaged) => {
    const from = temporaryFolder()
    fillFolder(from, 30_000_000)
    if (isDamaged) damagePage(dataFile(from), middlePage(from))
    const data = temporaryFolder()
    let shown = ''
    const child = Bun.spawn([...program, 'restore', dataFile(from), '--data', data], {
      terminal: { cols: 200, rows: 24, data: (_, chunk) => (shown += new TextDecoder().decode(chunk)) },
    })
    afterThisTest(() => child.kill('SIGKILL'))
    expect(await child.exited).toBe(isDamaged ? 1 : 0)
    child.terminal?.close()
    expect(shown).toMatch(/checking \d+ MB/)
    if (isDamaged) expect(shown).toMatch(/formbox: cannot restore \S+: it is damaged[^\n]*\r?\n$/)
    else expect(shown).toContain(`Restored ${dataFile(data)} from ${dataFile(from)}`)
    expect(readdirSync(data).sort()).toEqual([...(isDamaged ? [] : ['formbox.db']), ...locks].sort())
    if (!isDamaged) expectSound(data)
  })

  test.skipIf(!canMount)(
    'is refused with both numbers where the disk is too small, before anything is copied',
    async () => {
      const backup = await backupOf(20_000_000)
      const disk = smallDisk(16) as string
      fillFolder(disk, 100_000)
      const before = readFileSync(dataFile(disk))
      expect(await refusal(['restore', backup, '--data', disk])).toMatch(
        /backup\.db: that needs \d\d MB of free disk space in the data folder, which has 1\d MB\n$/,
      )
      expect(readFileSync(dataFile(disk)).equals(before)).toBe(true)
      expect(readdirSync(disk).sort()).toEqual(['formbox.db', ...locks].sort())
    },
  )

  test('is refused while a server runs, whose data stays', async () => {
    const backup = await backupOf()
    const data = temporaryFolder()
    const server = await serve(['--data', data])
    const line = await refusal(['restore', backup, '--data', data])
    expect(line).toContain(`(process ${server.pid}) is using the data folder ${data}; stop it first`)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).exitCode).toBe(0)
    expect(readdirSync(data).sort()).toEqual(['formbox.db', 'formbox.lock'])
    expect(rowsOf(data, 'SELECT * FROM submissions')).toEqual([])
  })

  test('takes tables that other programs add, and a file that one wrote anew', async () => {
    const backup = await backupOf()
    edit(backup, 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); ANALYZE; VACUUM')
    const data = temporaryFolder()
    await restore(backup, data)
    expectSound(data)
  })

  test('fills a folder that is not there yet', async () => {
    const backup = await backupOf()
    const data = join(temporaryFolder(), 'new')
    expect(await restore(backup, data)).toBe(`Restored ${dataFile(data)} from ${backup}\n`)
    expectSound(data)
    expect(rowsOf(data, 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: 489 }])
    expect((statSync(data).mode & 0o777).toString(8)).toBe('700')
    const server = await serve(['--data', data])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  const edit = (path: string, sql: string): void => {
    const db = new Database(path)
    db.run(sql)
    db.close()
  }
  test.each<[string, (backup: string) => void, string]>([
    ['is no database', (path) => writeFileSync(path, 'id,name\n1,Ada\n'.repeat(1000)), 'it is not a database'],
    ['is empty', (path) => writeFileSync(path, ''), 'it is not a database'],
    ['was cut off', (path) => truncateSync(path, 600_000), 'it is damaged'],
    ['has a damaged page', (path) => damagePage(path, 100), 'it is damaged'],
    ['has a damaged schema', (path) => damagePage(path, 2), 'it is damaged'],
    [
      'is a database of another program',
      (path) => {
        writeFileSync(path, '')
        edit(path, 'CREATE TABLE users (id)')
      },
      'another program',
    ],
    [
      'is a database without a table',
      (path) => {
        writeFileSync(path, '')
        edit(path, 'PRAGMA user_version = 1')
      },
      'it contains no data',
    ],
    [
      'is of a newer version',
      (path) => edit(path, "INSERT INTO migrations VALUES ('9999_later', 'x'); PRAGMA user_version = 12034056"),
      'a newer version of Formbox (it has 9999_later); version 12.34.56 or later can read it',
    ],
    [
      'has a trigger that is not Formbox’s',
      (path) =>
        edit(path, 'CREATE TRIGGER spy AFTER INSERT ON submissions BEGIN UPDATE users SET password_hash = 1; END'),
      'its trigger "spy" is not one of Formbox; remove it first',
    ],
    [
      'has one on a table of its own',
      (path) => edit(path, 'CREATE TABLE x (y); CREATE TRIGGER spy AFTER INSERT ON x BEGIN DELETE FROM forms; END'),
      'its trigger "spy" is not',
    ],
    [
      'has a view whose name has control characters',
      (path) => edit(path, 'CREATE VIEW "a\u001b[2J\nb" AS SELECT * FROM users'),
      'its view "a',
    ],
    [
      'has an index of another program on the submissions',
      (path) => edit(path, 'CREATE INDEX other ON submissions (abs(data))'),
      'its index "other" is not',
    ],
    [
      'lacks an index',
      (path) => edit(path, 'DROP INDEX addresses_of_user'),
      'its index "addresses_of_user" is missing',
    ],
    [
      'has a table with a column more',
      (path) => edit(path, 'ALTER TABLE forms ADD COLUMN other TEXT'),
      'its table "forms" is not as Formbox made it',
    ],
    ['is of another build', (path) => edit(path, "UPDATE migrations SET hash = 'x'"), 'an unreleased version'],
  ])('is refused when the file %s; then data and file are as they were, to the byte', async (_, spoil, reason) => {
    const backup = await backupOf()
    spoil(backup)
    const data = temporaryFolder()
    fillFolder(data, 100_000)
    const before = [readFileSync(dataFile(data)), readFileSync(backup)] as const
    const line = await refusal(['restore', backup, '--data', data])
    expect(line).toContain(backup)
    expect(line).toContain(reason)
    expect(readFileSync(dataFile(data)).equals(before[0])).toBe(true)
    expect(readFileSync(backup).equals(before[1])).toBe(true)
    expect(readdirSync(data).filter((name) => !locks.includes(name))).toEqual(['formbox.db'])
    expect(readdirSync(join(backup, '..'))).toEqual(['backup.db'])
  })

  test.each<[string, (data: string) => string, string]>([
    ['is not there', (data) => join(data, 'none.db'), 'it does not exist'],
    ['is a folder', (data) => join(data, 'folder'), 'it is not a file'],
    ['is the data file itself', (data) => join(data, 'folder', '..', 'formbox.db'), 'the data file itself'],
  ])('is refused when the file %s', async (_, backup, reason) => {
    const data = temporaryFolder()
    fillFolder(data, 100_000)
    mkdirSync(join(data, 'folder'))
    expect(await refusal(['restore', backup(data), '--data', data])).toContain(reason)
    expect(readdirSync(data).sort()).toEqual(['folder', 'formbox.db'])
    expectSound(data)
  })

  test('that is killed leaves the data as it was, and the next start clears away what it left', async () => {
    const backup = await backupOf(30_000_000)
    const data = temporaryFolder()
    fillFolder(data, 100_000)
    const before = readFileSync(dataFile(data))
    const child = Bun.spawn([...program, 'restore', backup, '--data', data], { stdout: 'ignore', stderr: 'ignore' })
    const partial = partialFile(join(data, 'formbox.db'), child.pid)
    await changeIn(data, () => existsSync(partial))
    child.kill('SIGKILL')
    await child.exited
    expect(readFileSync(dataFile(data)).equals(before)).toBe(true)
    const server = await serve(['--data', data])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).exitCode).toBe(0)
    expect(readdirSync(data).sort()).toEqual(['formbox.db', ...locks].sort())
  })

  test('takes a folder that was copied by hand while its server wrote: the log counts', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const form = await ada.createForm()
    await submit(server, form, 20)
    const copied = temporaryFolder()
    cpSync(server.folder, copied, { recursive: true })
    expect(statSync(`${dataFile(copied)}-wal`).size).toBeGreaterThan(0)
    const data = temporaryFolder()
    await restore(dataFile(copied), data)
    expect(readdirSync(data).sort()).toEqual(['formbox.db', ...locks].sort())
    expectSound(data)
    expect(rowsOf(data, 'SELECT submission_count FROM forms')).toEqual([{ submission_count: 20 }])
  })

  test('keeps a replaced file with what is only in its log', async () => {
    const backup = await backupOf()
    const server = await startServer()
    const ada = await server.signUp()
    await submit(server, await ada.createForm(), 20)
    const data = temporaryFolder()
    cpSync(server.folder, data, { recursive: true })
    await restore(backup, data)
    const [kept = ''] = replacedIn(data)
    const other = temporaryFolder()
    await restore(join(data, kept), other)
    expect(rowsOf(other, 'SELECT submission_count FROM forms')).toEqual([{ submission_count: 20 }])
    expectSound(data)
    expect(rowsOf(data, 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: 489 }])
  })

  test('replaces a damaged data file, which it keeps to the byte with its log', async () => {
    const backup = await backupOf()
    const data = temporaryFolder()
    writeFileSync(dataFile(data), 'x'.repeat(9000))
    writeFileSync(`${dataFile(data)}-wal`, 'the log of it')
    await restore(backup, data)
    const [kept = '', log = ''] = replacedIn(data).sort()
    expect(readFileSync(join(data, kept), 'utf8')).toBe('x'.repeat(9000))
    expect(log).toBe(`${kept}-wal`)
    expect(readFileSync(join(data, log), 'utf8')).toBe('the log of it')
    expectSound(data)
    const server = await serve(['--data', data])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  test('does not apply the log of a removed file to the new one', async () => {
    const backup = await backupOf()
    const server = await startServer()
    const ada = await server.signUp()
    await submit(server, await ada.createForm(), 20)
    const data = temporaryFolder()
    cpSync(`${dataFile(server.folder)}-wal`, `${dataFile(data)}-wal`)
    const log = readFileSync(`${dataFile(data)}-wal`)
    await restore(backup, data)
    expectSound(data)
    expect(rowsOf(data, 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: 489 }])
    expect(replacedIn(data).map((name) => readFileSync(join(data, name)).equals(log))).toEqual([true])
  })

  test('keeps one of a page that is damaged too', async () => {
    const backup = await backupOf()
    const data = temporaryFolder()
    fillFolder(data, 1_000_000)
    damagePage(dataFile(data), middlePage(data))
    const before = readFileSync(dataFile(data))
    await restore(backup, data)
    expect(readFileSync(join(data, replacedIn(data)[0] ?? '')).equals(before)).toBe(true)
    expectSound(data)
  })
})

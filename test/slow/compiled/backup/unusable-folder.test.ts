import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../../src/storage/files.ts'
import { damagePage, fillFolder, middlePage, refusal } from '../../../backup/data.ts'
import { serve } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile } from '../../../storage/sound.ts'

const commands: string[][] = [
  ['serve', '--port', '0'],
  ['user', 'create', 'bob@example.com'],
]

const filled = (bytes = 300_000): string => {
  const folder = join(temporaryFolder(), 'data')
  fillFolder(folder, bytes)
  return folder
}

describe('a data folder that cannot be used', () => {
  test.each<[string, (folder: string) => string, string]>([
    [
      'is a file',
      (folder) => {
        writeFileSync(join(folder, 'file'), 'mine')
        return join(folder, 'file')
      },
      'it is not a folder',
    ],
    [
      'is below a file',
      (folder) => {
        writeFileSync(join(folder, 'file'), 'mine')
        return join(folder, 'file', 'data')
      },
      'part of the path is a file',
    ],
    ['is missing where none can be made', () => '/proc/formbox/data', 'it does not exist and cannot be created'],
  ])('because it %s: one line, exit code 1, and nothing is made', async (_, prepare, reason) => {
    const folder = temporaryFolder()
    const data = prepare(folder)
    const before = readdirSync(folder)
    for (const command of commands) {
      const line = await refusal([...command, '--data', data])
      expect(line).toBe(`formbox: cannot use the data folder ${data}: ${reason}\n`)
    }
    expect(readdirSync(folder)).toEqual(before)
    if (before.includes('file')) expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine')
  })
})

test.skipIf(process.geteuid?.() !== 0)('a folder of someone else is named with both users', () => {
  const folder = temporaryFolder()
  afterThisTest(() => process.seteuid?.(0))
  process.seteuid?.(12_345)
  const data = join(folder, 'not', 'there')
  expect(() => makeFolder(data)).toThrow(
    `cannot use the data folder ${data}: permission denied; ${folder} belongs to 0:0, and Formbox runs as 12345:0`,
  )
})

/** Makes a folder read-only also for root, who may write whatever the mode says. Says why where that is not possible. */
const makeReadOnly = (folder: string): boolean => {
  const run = (...words: string[]) => Bun.which(words[0] ?? '') && Bun.spawnSync(words).exitCode === 0
  const allow = () => {
    run('chattr', '-i', folder)
    chmodSync(folder, 0o700)
  }
  afterThisTest(allow)
  chmodSync(folder, 0o500)
  if (process.getuid?.() !== 0 || run('chattr', '+i', folder)) return true
  noteSkipped('The tests of a read-only folder are skipped: they run as root, and chattr +i does not work here.')
  return false
}

describe.skipIf(process.platform === 'win32')('a read-only folder', () => {
  test.each<[string, boolean]>([
    ['with data', true],
    ['without data', false],
  ])('%s ends a command with one line and 1, and stays as it was', async (_, hasData) => {
    const data = hasData ? filled() : temporaryFolder()
    const before = hasData && readFileSync(dataFile(data))
    if (!makeReadOnly(data)) return
    for (const command of commands) {
      const line = await refusal([...command, '--data', data])
      expect(line).toBe(`formbox: cannot use the data folder ${data}: permission denied\n`)
    }
    expect(readdirSync(data)).toEqual(hasData ? ['formbox.db'] : [])
    if (before) expect(readFileSync(dataFile(data)).equals(before)).toBe(true)
  })

  test('above a data folder that is missing is named too', async () => {
    const folder = temporaryFolder()
    if (!makeReadOnly(folder)) return
    const data = join(folder, 'data')
    const line = await refusal(['serve', '--port', '0', '--data', data])
    expect(line).toBe(`formbox: cannot use the data folder ${data}: permission denied\n`)
    expect(existsSync(data)).toBe(false)
  })

  test('cannot take a backup', async () => {
    const data = filled()
    const folder = temporaryFolder()
    if (!makeReadOnly(folder)) return
    const line = await refusal(['backup', join(folder, 'copy.db'), '--data', data])
    expect(line).toBe(`formbox: cannot write ${join(folder, 'copy.db')}: permission denied\n`)
    expect(readdirSync(folder)).toEqual([])
  })
})

/** A data file whose last change is in its log alone, as after a kill. */
const leaveLog = (data: string, change: string): void => {
  const other = temporaryFolder()
  fillFolder(other, 100_000)
  const db = new Database(dataFile(other))
  db.run('PRAGMA journal_mode = WAL')
  db.run(change)
  for (const suffix of ['', '-wal']) copyFileSync(dataFile(other) + suffix, dataFile(data) + suffix)
  db.close()
}

describe('a data file that cannot be used', () => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['is no database', (path) => writeFileSync(path, 'id,name\n'.repeat(2000)), /it is not a database/],
    ['was cut off', (path) => truncateSync(path, 200_000), /it is damaged/],
    ['has a damaged header', (path) => damagePage(path, 1), /it is not a database/],
    ['has a damaged page', (path) => damagePage(path, middlePage(join(path, '..'))), /it is damaged/],
    [
      'is of another program',
      (path) => {
        writeFileSync(path, '')
        const db = new Database(path)
        db.run('CREATE TABLE users (id)')
        db.close()
      },
      /it is a database of another program/,
    ],
  ])('because it %s: the server says so in one line, exit code 1, and leaves every byte', async (_, spoil, reason) => {
    const data = filled()
    spoil(dataFile(data))
    const before = readFileSync(dataFile(data))
    const line = await refusal(['serve', '--port', '0', '--data', data])
    expect(line).toStartWith(`formbox: cannot open the data file ${dataFile(data)}: `)
    expect(line).toMatch(reason)
    expect(readFileSync(dataFile(data)).equals(before)).toBe(true)
    expect(readdirSync(data).filter((name) => !name.endsWith('.lock'))).toEqual(['formbox.db'])
  })

  test.each<[string, (data: string) => void, string]>([
    [
      'is not a database',
      (data) => {
        writeFileSync(dataFile(data), 'id,name\n'.repeat(2000))
        writeFileSync(`${dataFile(data)}-wal`, 'mine')
      },
      'it is not a database',
    ],
    [
      'is empty',
      (data) => {
        writeFileSync(dataFile(data), '')
        writeFileSync(`${dataFile(data)}-wal`, 'mine')
      },
      'it is missing or empty, but formbox.db-wal is not',
    ],
    [
      'is missing',
      (data) => writeFileSync(`${dataFile(data)}-wal`, 'mine'),
      'it is missing or empty, but formbox.db-wal is not',
    ],
    ['is of a newer version', (data) => leaveLog(data, "INSERT INTO migrations VALUES ('9999_later', 'x')"), 'a newer'],
    ['is of another program', (data) => leaveLog(data, 'DROP TABLE migrations'), 'it is a database of another program'],
  ])('because it %s, and has a log beside it: no command changes a byte of either', async (_, prepare, reason) => {
    const data = temporaryFolder()
    prepare(data)
    const names = readdirSync(data).filter((name) => !name.endsWith('-shm'))
    const before = names.map((name) => readFileSync(join(data, name)))
    for (const command of commands) expect(await refusal([...command, '--data', data])).toContain(reason)
    expect(readdirSync(data).filter((name) => !name.endsWith('-shm'))).toEqual(names)
    expect(names.map((name) => readFileSync(join(data, name)))).toEqual(before)
  })

  test('because it is a folder: the same', async () => {
    const data = temporaryFolder()
    mkdirSync(dataFile(data))
    for (const command of commands)
      expect(await refusal([...command, '--data', data])).toContain(`${dataFile(data)}: it is not a file`)
    expect(readdirSync(data)).toEqual(['formbox.db'])
  })

  test('is not read whole when it is large: a damaged page of it does not stop the start', async () => {
    const data = filled(40_000_000)
    damagePage(dataFile(data), middlePage(data))
    const server = await serve(['--data', data])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })
})

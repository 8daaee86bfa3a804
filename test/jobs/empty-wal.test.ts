import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../src/base/id.ts'
import { withSnapshot } from '../../src/commands/data-folder.ts'
import { copyDatabase } from '../../src/storage/copy-database.ts'
import { sizeOf } from '../../src/storage/files.ts'
import { connect, emptyWal, walFile } from '../../src/storage/open.ts'
import { holdLog, openSnapshot } from '../../src/storage/snapshot.ts'
import { users } from '../../src/storage/tables.ts'
import { emptyWalRegularly } from '../../src/upkeep/jobs/empty-wal.ts'
import { expectQuick, millisecondsOf } from '../expect-below.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { openWriter } from '../storage/open-writer.ts'
import { dataFile, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'

const setUp = async () => {
  const { folder, writer } = await openWriter()
  const failures: string[] = []
  let calls = 0
  const start = () => {
    const counted = {
      emptyWal() {
        calls++
        return writer.emptyWal()
      },
    }
    const onFailure = (reason: string) => failures.push(reason)
    const job = emptyWalRegularly({ folder, writer: counted, everyMilliseconds: 5, now: Date.now, onFailure })
    afterThisTest(() => job.stop())
    job.start()
    return job
  }
  return { folder, writer, failures, start, calls: () => calls, size: () => sizeOf(walFile(folder)) }
}

test('empties the log by itself, while nothing else is done', async () => {
  const { folder, writer, failures, start, size } = await setUp()
  await writer.run('addUser', 'ada@example.com')
  expect(size()).toBeGreaterThan(4096)
  start()
  await until(() => size() === 0, 'the WAL is empty')
  expect(readFileSync(dataFile(folder)).includes('ada@example.com')).toBe(true)
  await writer.run('addUser', 'bob@example.com')
  await until(() => size() === 0, 'the WAL is empty')
  expect(rowsOf(folder, 'SELECT email FROM users').length).toBe(2)
  expect(failures).toEqual([])
})

test('asks for nothing while nothing is written', async () => {
  const { folder, writer, start, size, calls } = await setUp()
  await writer.emptyWal()
  expect(size()).toBe(0)
  await start().stop()
  expect(calls()).toBe(0)
  expect(rowsOf(folder, 'SELECT email FROM users')).toEqual([])
})

test('waits for a reader that needs the log, without holding up writes, and tries again', async () => {
  const { folder, writer, failures, start, size, calls } = await setUp()
  await writer.run('addUser', 'ada@example.com')
  const snapshot = openSnapshot(folder)
  afterThisTest(snapshot.close)
  await writer.run('addUser', 'bob@example.com')
  start()
  await until(() => calls() > 1, 'the job has tried twice')
  let number = 0
  await expectQuick(1000, () => writer.run('addUser', `${number++}@example.com`), millisecondsOf)
  expect(size()).toBeGreaterThan(0)
  expect(snapshot.db.select({ email: users.email }).from(users).all()).toEqual([{ email: 'ada@example.com' }])
  snapshot.close()
  await until(() => size() === 0, 'the WAL is empty')
  expect(failures).toEqual([])
})

test('is refused when the writer is closed', async () => {
  const { writer } = await setUp()
  await writer.close()
  expect(writer.emptyWal()).rejects.toMatchObject({ code: 'unavailable' })
})

describe('what is written beside something that reads for long', () => {
  /** A file into which its own connection moves nothing when it writes. */
  const withLog = () => {
    const { folder, db, formId, run } = openData()
    db.$client.run('PRAGMA wal_autocheckpoint = 0')
    emptyWal(db)
    return {
      folder,
      db,
      write: () =>
        void run('createSubmission', { formId, id: newId(Date.now()), data: '{"a":"Norway"}', fieldNames: ['a'] }),
      isInFile: () => readFileSync(dataFile(folder)).includes('Norway'),
    }
  }

  test('is moved into the file by a backup that ends', () => {
    const { folder, write, isInFile } = withLog()
    write()
    const own = connect(folder)
    afterThisTest(() => own.$client.close())
    copyDatabase(own.$client, join(temporaryFolder(), 'backup.db'), { isReplacing: false })
    expect(isInFile()).toBeTrue()
  })

  test('is moved into the file by an export on the command line that ends', async () => {
    const { folder, write, isInFile } = withLog()
    await withSnapshot({ data: folder }, async () => write())
    expect(isInFile()).toBeTrue()
  })

  test('stays in the log while it is held, and is moved when that ends', async () => {
    const { folder, db, write, isInFile } = withLog()
    const end = holdLog(folder)
    write()
    expect(emptyWal(db)).toBeFalse()
    expect(isInFile()).toBeFalse()
    await end()
    expect(isInFile()).toBeTrue()
    expect(emptyWal(db)).toBeTrue()
  })
})

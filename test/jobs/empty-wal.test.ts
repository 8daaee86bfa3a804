import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sizeOf } from '../../src/db/files.ts'
import { walFile } from '../../src/db/open.ts'
import { users } from '../../src/db/tables.ts'
import { openSnapshot } from '../../src/export/snapshot.ts'
import { emptyWalRegularly } from '../../src/jobs/empty-wal.ts'
import { expectBelow, millisecondsOf } from '../expect-below.ts'
import { afterThisTest } from '../harness.ts'
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
  await expectBelow(1000, () => millisecondsOf(() => writer.run('addUser', `${number++}@example.com`)))
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

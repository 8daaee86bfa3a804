import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { stagedFileReader } from '../../src/submissions/files/file-reads.ts'
import { expiredFileReader } from '../../src/submissions/files/file-writes.ts'
import { giveUpFiles } from '../../src/upkeep/jobs/remove-rows.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { until } from '../until.ts'

const noon = Date.UTC(2026, 5, 1, 12)

test('gives up a file whose time is over, and writes nothing while it may still arrive', async () => {
  const { db, run } = openData()
  const clock = { now: noon }
  let looks = 0
  const written: unknown[] = []
  const writer = {
    run: async (name: string, input: unknown) => {
      written.push(input)
      return run(name as never, input as never)
    },
  }
  const stage = (stagedBy: string) => {
    const part = { id: newId(noon), stagedBy, stagedUntil: noon + 100_000, offset: 0, bytes: Buffer.from('a') }
    run('stageFile', part)
  }
  stage('other')
  const job = giveUpFiles({
    writer: writer as never,
    node: 'this',
    hasStaged: stagedFileReader(db),
    hasExpired: expiredFileReader(db),
    abandonedImports: () => {
      looks++
      return []
    },
    onDeleted: () => {},
    now: () => clock.now,
    onFailure: (reason) => expect.unreachable(reason),
  })
  afterThisTest(() => job.stop())
  const lookAt = async (now: number): Promise<void> => {
    const before = looks
    clock.now = now
    job.wake()
    await until(() => looks > before, 'it has looked')
  }
  job.start()
  await until(() => looks === 1, 'it has looked')
  // What a process before this one has left.
  expect(written.splice(0)).toEqual([expect.objectContaining({ stagedBy: 'this' })])
  await lookAt(noon + 60_000)
  await lookAt(noon + 100_000)
  expect(written).toEqual([])
  await lookAt(noon + 100_001)
  expect(written).toEqual([{ now: noon + 100_001 }])
  expect(stagedFileReader(db)()).toBe(false)
})

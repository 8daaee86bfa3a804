import { expect, test } from 'bun:test'
import { spentReader } from '../../src/challenge/challenge-writes.ts'
import { timePrefix } from '../../src/id.ts'
import { idempotencyKeyReader } from '../../src/idempotency/idempotency.ts'
import { removeIdempotencyKeys, removeSpentChallenges, removeStagedRows } from '../../src/jobs/remove-rows.ts'
import { stagedReader } from '../../src/submissions/staged-rows.ts'
import { openData } from '../storage/data.ts'
import { stepsOf } from './slices.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 5, 3, 12)

/** A file with something of each kind, whose clock was right at noon. */
const open = () => {
  const { db, run, formId } = openData()
  const id = '01kahp5x2r00v7m3k90000000000'
  const request = { keyHash: 'k', fingerprint: 'f', at: noon }
  const challenge = { expiresAt: noon, random: 'r' }
  run('createSubmission', { formId, id, data: '{"a":1}', fieldNames: ['a'], request, challenge })
  run('stageRows', { importId: `${timePrefix(noon)}000000000000000000`, rows: [[id, '{"a":1}']] })
  run('checkClock', { now: noon })
  return { run, hasKeys: idempotencyKeyReader(db), hasSpent: spentReader(db), hasStaged: stagedReader(db) }
}

const jobs = [
  ['removeIdempotencyKeys', removeIdempotencyKeys, 'hasKeys'],
  ['removeSpentChallenges', removeSpentChallenges, 'hasSpent'],
  ['removeStagedRows', removeStagedRows, 'hasStaged'],
] as const

test.each(jobs)('%s removes nothing for a day after the clock was set', async (_, job, has) => {
  const { run, ...found } = open()
  const isLeftAt = async (now: number): Promise<boolean> => {
    await stepsOf(run, (needs) => job({ ...needs, ...found, now: () => now }))
    return found[has]()
  }
  const ahead = noon + 365 * day
  expect(await isLeftAt(ahead)).toBe(true)
  expect(await isLeftAt(ahead + day - 1)).toBe(true)
  expect(await isLeftAt(noon + 1)).toBe(true)
  // The clock goes as it should for more than a day.
  expect(await isLeftAt(noon + day)).toBe(true)
  expect(await isLeftAt(noon + 2 * day)).toBe(false)
})

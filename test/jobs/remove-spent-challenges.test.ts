import { expect, test } from 'bun:test'
import { spentReader } from '../../src/challenge/challenge-writes.ts'
import { spentChallenges } from '../../src/db/tables.ts'
import { removeSpentChallenges } from '../../src/jobs/remove-rows.ts'
import { openData } from '../storage/data.ts'
import { removeInThreeSlices } from './slices.ts'

const noon = Date.UTC(2026, 5, 1, 12)
const hour = 3_600_000

test('removes the challenges that expired an hour ago, in slices, and no other', async () => {
  const { db, run, formId } = openData()
  const spend = (expiresAt: number, random: string) =>
    run('createSubmission', {
      formId,
      id: `01kahp5x2r00v7m3k9${random.padStart(10, '0')}`,
      data: '{"a":1}',
      fieldNames: ['a'],
      challenge: { expiresAt, random },
    })
  for (let i = 0; i < 1100; i++) spend(noon - hour - (i % 7), `old${i}`)
  spend(noon - hour + 1, 'late')
  spend(noon + hour, 'new')
  await removeInThreeSlices(run, (needs) =>
    removeSpentChallenges({ ...needs, hasSpent: spentReader(db), now: () => noon }),
  )
  expect(db.select({ random: spentChallenges.random }).from(spentChallenges).all()).toEqual([
    { random: 'late' },
    { random: 'new' },
  ])
})

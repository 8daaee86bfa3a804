import { expect, test } from 'bun:test'
import { asc } from 'drizzle-orm'
import { idempotencyKeys } from '../../src/db/tables.ts'
import { idempotencyKeyReader } from '../../src/idempotency/idempotency.ts'
import { removeIdempotencyKeys } from '../../src/jobs/remove-rows.ts'
import { openData } from '../storage/data.ts'
import { removeInThreeSlices } from './slices.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 5, 3, 12)

test('removes the keys of requests of the day before yesterday and earlier, in slices, and no other', async () => {
  const { db, run, execute, formId } = openData()
  let count = 0
  const submission = (at: number, keyHash: string): [string, object] => {
    const id = `01kahp5x2r00v7m3k9${String(count++).padStart(10, '0')}`
    const request = { keyHash, fingerprint: 'f', at }
    return ['createSubmission', { formId, id, data: '{"a":1}', fieldNames: ['a'], request }]
  }
  expect(idempotencyKeyReader(db)()).toBe(false)
  execute([
    ...Array.from({ length: 1100 }, (_, i) => submission(noon - 2 * day - (i % 7) * day, `old${i}`)),
    submission(noon - 1.5 * day, 'yesterday'),
    submission(noon, 'today'),
    submission(noon + day, 'from another machine'),
  ])
  expect(idempotencyKeyReader(db)()).toBe(true)
  await removeInThreeSlices(run, (needs) =>
    removeIdempotencyKeys({ ...needs, hasKeys: idempotencyKeyReader(db), now: () => noon }),
  )
  const kept = db
    .select({ keyHash: idempotencyKeys.keyHash })
    .from(idempotencyKeys)
    .orderBy(asc(idempotencyKeys.day))
    .all()
  expect(kept.map(({ keyHash }) => keyHash)).toEqual(['yesterday', 'today', 'from another machine'])
})

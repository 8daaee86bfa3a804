import { expect, test } from 'bun:test'
import { newId } from '../../src/id.ts'
import { removeOldSpam } from '../../src/jobs/remove-old-spam.ts'
import { spamReads } from '../../src/spam/removal.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 10, 22, 12)

test('deletes what has been spam for as many days as each form says, in slices, and counts exactly', async () => {
  const { db, folder, userId, formId, createForm, submit, run } = openData()
  const other = createForm(userId)
  run('updateFormSettings', { userId, id: other, now: noon, changes: { spamDays: 3 } })
  const addSpam = (form: string, age: number, data = '{"a":1}'): string => {
    const id = newId(noon - age)
    run('createSpam', { formId: form, id, data, reason: 'honeypot' })
    return id
  }
  // More than one slice.
  for (let i = 0; i < 450; i++) addSpam(formId, 31 * day + i)
  addSpam(formId, 40 * day, JSON.stringify({ long: 'x'.repeat(100_000) }))
  const kept = [addSpam(formId, 30 * day), addSpam(formId, 29 * day), addSpam(other, 2 * day)]
  addSpam(other, 4 * day)
  const [old, older] = submit(formId, [noon - 60 * day, noon - 50 * day]) as [string, string]
  run('markSpam', { userId, formId, id: old, now: noon - 29 * day })
  run('markSpam', { userId, formId, id: older, now: noon - 31 * day })
  const [good] = submit(formId, [noon - 100 * day])

  let piecesLeft = 0
  const job = removeOldSpam({
    writer: { run: async (name: string, input: unknown) => run(name, input) } as never,
    hasSpam: spamReads(db).hasSpam,
    now: () => noon,
    onDeleted: () => piecesLeft++,
    onFailure: (reason) => expect.unreachable(reason),
  })
  afterThisTest(() => job.stop())
  job.start()
  const left = () => rowsOf<{ id: string }>(folder, 'SELECT id FROM submissions ORDER BY id').map(({ id }) => id)
  await until(() => left().length <= 5)
  await job.stop()

  expect(left()).toEqual([...kept, old, good as string].sort())
  expect(piecesLeft).toBe(1)
  expectSound(folder)
})

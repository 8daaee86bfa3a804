import { expect, test } from 'bun:test'
import { startServer, temporaryFolder } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 10, 22, 12)

/** Starts the server at each of these moments, and returns how many submissions are left after the job has looked. */
const startAt = async (folder: string, formId: string, ...moments: readonly number[]): Promise<number[]> => {
  const left: number[] = []
  for (const now of moments) {
    const server = await startServer({ folder, now: () => now })
    await until(
      () => rowsOf(folder, 'SELECT 1 FROM seen_clock WHERE seen_at = ?', String(now)).length === 1,
      'the job has seen the clock',
    )
    // What the job does next is in the queue by now, and these come after it.
    for (let n = 0; n < 2; n++) await server.submit(formId, { n })
    left.push(rowsOf(folder, 'SELECT id FROM submissions WHERE data LIKE ?', '%number%').length)
    await server.stop()
  }
  return left
}

test('a machine that starts with a clock a year ahead, or back, deletes nothing for its age', async () => {
  const folder = temporaryFolder()
  const { userId, formId, createForm, run, submit } = openData(folder)
  const other = createForm(userId)
  run('updateFormSettings', { userId, id: formId, now: noon, changes: { retentionDays: 30 } })
  submit(formId, [noon - 31 * day, noon - 29 * day, noon])
  expect(await startAt(folder, other, noon)).toEqual([2])
  expect(await startAt(folder, other, noon + 365 * day, noon + 365 * day + 3_600_000)).toEqual([2, 2])
  expect(await startAt(folder, other, noon + 2 * 3_600_000, noon - 365 * day, noon + 3 * 3_600_000)).toEqual([2, 2, 2])
  // A day with a clock that goes as it should.
  expect(await startAt(folder, other, noon + day, noon + 2 * day)).toEqual([2, 1])
  expectSound(folder)
})

import { expect, test } from 'bun:test'
import { startServer, temporaryFolder } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'

const hour = 3_600_000
const day = 24 * hour
const noon = Date.UTC(2026, 10, 22, 12)

/** Starts the server at each of these moments, and returns how many submissions are left after the job has looked. */
const startAt = async (folder: string, ...moments: readonly number[]): Promise<number[]> => {
  const left: number[] = []
  for (const now of moments) {
    const server = await startServer({ folder, now: () => now })
    await until(
      () => rowsOf(folder, 'SELECT 1 FROM seen_clock WHERE seen_at = ?', String(now)).length === 1,
      'the job has seen the clock',
    )
    // The step of the job that saw the clock deletes, too, and a server ends after it.
    await server.stop()
    left.push(rowsOf(folder, 'SELECT id FROM submissions').length)
  }
  return left
}

test('a machine that starts with a clock a year ahead, or back, deletes nothing for its age', async () => {
  const folder = temporaryFolder()
  const { userId, formId, run, submit } = openData(folder)
  run('updateFormSettings', { userId, id: formId, now: noon, changes: { retentionDays: 30 } })
  submit(formId, [noon - 31 * day, noon - 29 * day, noon])
  expect(await startAt(folder, noon)).toEqual([2])
  expect(await startAt(folder, noon + 365 * day, noon + 365 * day + hour)).toEqual([2, 2])
  expect(await startAt(folder, noon - 365 * day, noon + 3 * hour)).toEqual([2, 2])
  // A day with a clock that goes as it should.
  expect(await startAt(folder, noon + day + 3 * hour)).toEqual([1])
  expectSound(folder)
})

import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { countIdsByDay } from '../../src/submissions/activity.ts'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'
import { expectSound } from '../storage/sound.ts'
import { openStores } from '../storage/stores.ts'

const day = 86_400_000
const midnight = Date.UTC(2026, 10, 21)

describe('the activity of a form', () => {
  test('counts the submissions of each of the last 30 days in UTC, to the millisecond', () => {
    const { submissions, form, submit, formId } = openStores()
    const first = midnight - 29 * day
    submit(formId, [first - 1, first, first + day - 1, midnight - 1, midnight, midnight + 5, midnight + day - 1])
    submit(formId, [midnight + day, midnight + 400 * day])
    const expected = [2, ...Array(27).fill(0), 1, 3]
    for (const now of [midnight, midnight + 1, midnight + day - 1])
      expect(submissions.countByDay(form(), now)).toEqual(expected)
    expect(submissions.countByDay(form(), midnight + day)).toEqual([...expected.slice(1), 1])
    expect(submissions.countByDay(form(), midnight - 31 * day)).toEqual(Array(30).fill(0))
    expect(submissions.countByDay(form(), midnight + 500 * day)).toEqual(Array(30).fill(0))
  })

  test('adds up what came before the 30 days once, and not for each day', async () => {
    const { submissions, form, formId, submit, db } = openStores()
    const [id = ''] = submit(formId, [midnight])
    // As 50 million submissions before that one would leave them.
    db.$client
      .query(`WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted LIMIT 3000)
        INSERT INTO tallies (form, list, level, first_id, count)
        SELECT number, 0, 1, printf('%028d', n), 16384 FROM forms, counted WHERE id = ?`)
      .run(formId)
    const often = (work: () => unknown) => () =>
      processorMillisecondsOf(() => Array.from({ length: 50 }).forEach(() => void work()))
    const once = often(() => submissions.findPlace(form(), 'inbox', id))
    await once()
    const alone = Math.min(await once(), await once(), await once())
    await expectBelow(
      8 * alone,
      often(() => submissions.countByDay(form(), midnight)),
    )
  })

  test('is empty for a form without submissions', () => {
    const { submissions, form } = openStores()
    expect(submissions.countByDay(form(), midnight)).toEqual(Array(30).fill(0))
  })

  test('is counted anew when the inbox has changed, and on the next day', () => {
    const { submissions, form, submit, formId, remove } = openStores()
    const [first = ''] = submit(formId, [midnight - 2 * day, midnight])
    const lastDays = (now: number) => submissions.countByDay(form(), now).slice(-3)
    expect(lastDays(midnight)).toEqual([1, 0, 1])
    submit(formId, [midnight + 5])
    remove([first])
    expect(form().submissionCount).toBe(2)
    expect(lastDays(midnight)).toEqual([0, 0, 2])
    expect(lastDays(midnight + day)).toEqual([0, 2, 0])
  })

  test('equals what is counted in a form of 20,000, with days of none and with deletions', () => {
    const { submissions, form, submit, formId, remove, folder } = openStores()
    const times = Array.from({ length: 20_000 }, (_, i) => midnight - 40 * day + i * 190_000 + (i > 9000 ? 4 * day : 0))
    const ids = submit(formId, times)
    remove(ids.filter((_, i) => i % 20 === 3).slice(0, 1000))
    const kept = times.filter((_, i) => i % 20 !== 3)
    for (let back = -20; back < 45; back += 3) {
      const start = midnight - back * day
      const expected = Array.from(
        { length: 30 },
        (_, i) => kept.filter((time) => Math.floor(time / day) === start / day - 29 + i).length,
      )
      expect(submissions.countByDay(form(), start + 3_600_000)).toEqual(expected)
    }
    expectSound(folder)
  })
})

test('counts submissions by the days of their identifiers, and leaves out those before and after', () => {
  const now = Date.UTC(2026, 10, 29, 12)
  const ids = [0, 0, 1, 2, 3, -1].map((ago) => newId(now - ago * day))
  expect(countIdsByDay(ids, now, 3)).toEqual([1, 1, 2])
})

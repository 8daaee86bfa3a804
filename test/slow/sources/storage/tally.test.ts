import { describe, expect, test } from 'bun:test'
import { createdAt, timePrefix } from '../../../../src/base/id.ts'
import { startServer } from '../../../harness.ts'
import { someOf } from '../../../runs.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'

const noon = Date.UTC(2026, 10, 21, 12)

describe('a form of 33,000 submissions', () => {
  test('has every page, every total and every date range as they are counted', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const formId = await ada.createForm()
    const { submit, folder, execute } = openData(server.folder)
    const second = 1000
    let model = submit(
      formId,
      Array.from({ length: 33_000 }, (_, i) => noon + i * 10 * second),
    ).reverse()
    const levels = rowsOf(folder, 'SELECT level, count(*) AS rows FROM tallies GROUP BY level ORDER BY level')
    expect(levels).toEqual([
      { level: 0, rows: 258 },
      { level: 1, rows: 3 },
    ])

    const expectPages = async (pages: readonly number[], query: string, expected: readonly string[]): Promise<void> => {
      for (const page of pages) {
        const { status, body } = await ada.call('GET', `/forms/${formId}/submissions?perPage=100&page=${page}${query}`)
        expect(status).toBe(200)
        expect(body.pagination).toEqual({
          page,
          perPage: 100,
          total: expected.length,
          totalPages: Math.ceil(expected.length / 100),
        })
        const ids = body.submissions.map(({ id }: { id: string }) => id)
        expect(ids, `page ${page}${query}`).toEqual(expected.slice((page - 1) * 100, page * 100))
      }
    }
    const far = [1, 2, 3, 4, 63, 64, 65, 127, 128, 129, 164, 165, 200, 299, 327, 328, 329, 330, 331, 90_071_992_547_409]
    await expectPages(far, '', model)

    // Takes out a stretch in the middle, more than one of the upper level, and every seventh of the rest.
    const gone = new Set(model.filter((_, i) => (i > 9000 && i < 27_000) || i % 7 === 0))
    for (let rest = [...gone]; rest.length > 0; rest = rest.slice(1000))
      expect(
        execute([['deleteSubmissions', { userId: ada.id, formId, list: 'inbox', ids: rest.slice(0, 1000) }]]),
      ).toEqual([{ result: false }])
    model = model.filter((id) => !gone.has(id))
    await expectPages(someOf(Array.from({ length: 131 }, (_, i) => i + 1)), '', model)

    const moments = [0, 1, 9_999, 10_000, 50_000_000, 170_000_000, 170_000_001, 200_000_000, 329_990_000].map(
      (ms) => noon + ms,
    )
    const ranges = moments.flatMap((start) => moments.filter((end) => end >= start).map((end) => [start, end] as const))
    for (const [start, end] of someOf(ranges)) {
      const range = `&startDate=${new Date(start).toISOString()}&endDate=${new Date(end).toISOString()}`
      const [from, to] = [timePrefix(start), timePrefix(end + 1)]
      const expected = model.filter((id) => id >= from && id < to)
      await expectPages(
        [1, 2, Math.ceil(expected.length / 200), Math.ceil(expected.length / 100)].filter(Boolean),
        range,
        expected,
      )
    }
    const days = Map.groupBy(model, (id) => createdAt(id).slice(0, 10))
    const sentOn = (isOn: (day: string) => boolean) => [...days].flatMap(([day, ids]) => (isOn(day) ? ids : []))
    for (const day of ['2026-11-20', '2026-11-21', '2026-11-23', '2026-11-25', '2027-01-01']) {
      const sentAfter = sentOn((other) => other >= day)
      await expectPages([1, 7], `&startDate=${day}`, sentAfter)
      const sentBefore = sentOn((other) => other <= day)
      await expectPages([1, 7], `&endDate=${day}`, sentBefore)
      await expectPages([1, 7], `&startDate=${day}&endDate=${day}`, days.get(day) ?? [])
    }
    expectSound(folder)
  })
})

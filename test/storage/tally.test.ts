import { describe, expect, test } from 'bun:test'
import { createdAt, timePrefix } from '../../src/base/id.ts'
import { inboxOf } from '../../src/submissions/lists.ts'
import { tallyReads } from '../../src/submissions/tally.ts'
import { startServer } from '../harness.ts'
import { someOf } from '../runs.ts'
import { openData } from './data.ts'
import { expectSound, rowsOf } from './sound.ts'

const noon = Date.UTC(2026, 10, 21, 12)

/** Numbers that look random and are the same in every run (mulberry32). */
const createRandom =
  (seed: number) =>
  (below: number): number => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }

/** Holds what the tally says against the sorted identifiers, at every `step`th position and between all seconds. */
const expectSame = (open: ReturnType<typeof openData>, model: readonly string[], step: number): void => {
  const [form] = rowsOf<{ number: number }>(open.folder, 'SELECT number FROM forms WHERE id = ?', open.formId)
  const { countBefore, idAt } = tallyReads(open.db)
  const list = inboxOf(form?.number as number)
  const positions = model.map((_, position) => position).filter((position) => position % step === 0)
  expect(positions.map((position) => countBefore(list, model[position] as string))).toEqual(positions)
  expect(positions.map((position) => idAt(list, position))).toEqual(positions.map((position) => model[position]))
  const seconds = [...new Set(positions.map((position) => (model[position] as string).slice(0, 8)))]
  expect(seconds.map((id) => countBefore(list, id))).toEqual(seconds.map((id) => model.findIndex((own) => own >= id)))
  expect([countBefore(list, ''), countBefore(list, '~')]).toEqual([0, model.length])
  expect(idAt(list, model.length)).toBeUndefined()
}

describe('the tally of a form', () => {
  test.each(someOf([1, 2, 3, 4, 5]))('equals what is counted, whatever comes and goes (seed %d)', (seed) => {
    const open = openData()
    const random = createRandom(seed)
    let model: string[] = []
    let time = noon
    const remove = (ids: readonly string[]): void => {
      if (ids.length === 0) return
      open.run('deleteSubmissions', { userId: open.userId, formId: open.formId, list: 'inbox', ids })
      const gone = new Set(ids)
      model = model.filter((id) => !gone.has(id))
    }

    for (let round = 0; round < 40; round++) {
      // The clock is set back now and then: by seconds, by minutes, by a day.
      if (random(5) === 0) time -= random([10_000, 600_000, 86_400_000][random(3)] as number)
      const times = Array.from({ length: random(random(4) === 0 ? 600 : 20) }, () => (time += random(100)))
      model = [...model, ...open.submit(open.formId, times)].sort()
      const start = random(model.length)
      if (random(3) === 0) remove(model.filter(() => random(10) === 0))
      if (random(6) === 0) remove(model.slice(start, start + random(400)))
      if (random(12) === 0) remove(model.slice(0, random(300)))
      if (random(12) === 0) remove(model.slice(-random(300)))
      if (random(20) === 0) remove(model)
      expectSame(open, model, 31)
    }
    expectSound(open.folder)
    remove(model)
    expect(rowsOf(open.folder, 'SELECT * FROM tallies')).toEqual([])
  })

  test('is right when the clock is set back into a stretch that is full', () => {
    const open = openData()
    const times = Array.from({ length: 128 }, (_, i) => noon + i * 100)
    const model = open.submit(open.formId, times)
    model.push(...open.submit(open.formId, [noon + 6_050]))
    expectSame(open, model.sort(), 1)
    expectSound(open.folder)
  })

  test('is right when one batch brings what is older, younger and in the middle, and not in order', () => {
    const open = openData()
    const model = open.submit(
      open.formId,
      Array.from({ length: 300 }, (_, i) => noon + i * 5_000),
    )
    const mixed = Array.from({ length: 900 }, (_, i) => noon + ((i * 7_919) % 3000) * 1_500 - 1_000_000)
    model.push(...open.submit(open.formId, mixed))
    expectSame(open, model.sort(), 1)
    expectSound(open.folder)
  })

  test('stays as it was when a deletion is refused in the middle', () => {
    const open = openData()
    const model = open.submit(
      open.formId,
      Array.from({ length: 400 }, (_, i) => noon + i),
    )
    const before = rowsOf(open.folder, 'SELECT * FROM tallies')
    const ids = [...model.slice(0, 200), model[3] as string, 'unknown', ...model.slice(200)]
    expect(() =>
      open.run('deleteSubmissions', { userId: open.userId, formId: open.formId, list: 'inbox', ids }),
    ).toThrow('Submission not found')
    expect(rowsOf(open.folder, 'SELECT * FROM tallies')).toEqual(before)
    expectSame(open, model, 7)
    expectSound(open.folder)
  })

  test('does not gather rows when a form is emptied as fast as it fills', () => {
    const open = openData()
    for (let day = 0; day < 20; day++) {
      const ids = open.submit(
        open.formId,
        Array.from({ length: 150 }, (_, i) => noon + day * 86_400_000 + i * 1000),
      )
      open.run('deleteSubmissions', { userId: open.userId, formId: open.formId, list: 'inbox', ids: ids.slice(0, 149) })
      open.run('deleteSubmissions', { userId: open.userId, formId: open.formId, list: 'inbox', ids: ids.slice(149) })
    }
    expect(rowsOf(open.folder, 'SELECT * FROM tallies')).toEqual([])
    expectSound(open.folder)
  })
})

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

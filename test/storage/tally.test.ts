import { describe, expect, test } from 'bun:test'
import { inboxOf } from '../../src/submissions/lists.ts'
import { tallyReads } from '../../src/submissions/tally.ts'
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

import { describe, expect, test } from 'bun:test'
import type { DateRange } from '../../src/submissions/date-range.ts'
import { toPieces } from '../../src/submissions/pieces.ts'
import { openStores } from '../storage/stores.ts'
import { storedRow } from './stored.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const times = (count: number) => Array.from({ length: count }, (_, i) => noon + i * 10)

describe('the place of a submission', () => {
  test('is its position, and the next older and the next newer one of the same form', () => {
    const { submissions, form, submit, formId, createForm, userId, remove } = openStores()
    const other = createForm(userId)
    submit(other, [noon - 5])
    const [a = '', b = '', c = ''] = submit(formId, [noon, noon + 10, noon + 20])
    submit(other, [noon + 12, noon + 50])
    expect(submissions.findPlace(form(), 'inbox', a)).toEqual({ position: 3, older: undefined, newer: b })
    expect(submissions.findPlace(form(), 'inbox', b)).toEqual({ position: 2, older: a, newer: c })
    expect(submissions.findPlace(form(), 'inbox', c)).toEqual({ position: 1, older: b, newer: undefined })
    remove([b])
    expect(submissions.findPlace(form(), 'inbox', b)).toEqual({ position: 2, older: a, newer: c })
  })

  test('is counted one by one among the newest, and otherwise by the tallies', () => {
    const { submissions, form, submit, formId } = openStores()
    const newestFirst = submit(formId, times(300)).toReversed()
    const positions = [1, 20, 21, 22, 23, 150, 299, 300]
    const places = positions.map((position) =>
      submissions.findPlace(form(), 'inbox', newestFirst[position - 1] as string),
    )
    expect(places).toEqual(
      positions.map((position) => ({ position, older: newestFirst[position], newer: newestFirst[position - 2] })),
    )
  })
})

describe('the newest submission of a form', () => {
  test('is none, the last that came, and the one before when that is deleted', () => {
    const { submissions, form, submit, formId, remove } = openStores()
    expect(submissions.findNewest(form())).toBeUndefined()
    const [a = '', b = ''] = submit(formId, [noon, noon + 1])
    expect(submissions.findNewest(form())).toMatchObject({ formId, submissions: [storedRow(b, '{"number":1}')] })
    remove([b])
    expect(submissions.findNewest(form())).toMatchObject({ submissions: [storedRow(a, '{"number":0}')] })
    remove([a])
    expect(submissions.findNewest(form())).toBeUndefined()
  })

  test('gives a long one in pieces', () => {
    const { submissions, form, submit, formId, run } = openStores()
    const [older = ''] = submit(formId, [noon])
    const data = JSON.stringify({ text: 'ü'.repeat(100_000) })
    const id = `${older.slice(0, -16)}${'z'.repeat(16)}`
    run('createSubmission', { formId, id, data, fieldNames: ['text'] })
    const found = submissions.findNewest(form())
    expect(found?.submissions).toEqual([storedRow(id, '')])
    expect(Buffer.compare(found?.readPiece(id, 0) ?? Buffer.of(), toPieces(data)?.[0] ?? Buffer.of(1))).toBe(0)
  })
})

test('every page of a list has what follows the page before it, from whichever end it is found', () => {
  const { submissions, form, submit, formId } = openStores()
  const newestFirst = submit(formId, times(400)).toReversed()
  const ranges = [
    { start: null, end: null },
    { start: noon + 350, end: noon + 3900 },
  ]
  for (const [range, shown] of [
    [ranges[0], newestFirst],
    [ranges[1], newestFirst.slice(9, 365)],
  ] as const) {
    const pages = Array.from({ length: Math.ceil(shown.length / 7) }, (_, i) =>
      submissions.listSubmissions(form(), 'inbox', { page: i + 1, perPage: 7 }, range as DateRange),
    )
    expect(pages.flatMap(({ submissions: rows }) => rows.map(({ id }) => id))).toEqual(shown)
  }
})

test('an open one is looked for among so many done ones, either way', () => {
  const { submissions, form, submit, formId, run, userId } = openStores()
  const ids = submit(formId, times(12_003))
  const [oldest = '', middle = '', newest = ''] = [ids[0], ids[6001], ids.at(-1)]
  const between = [...ids.slice(1, 6001), ...ids.slice(6002, -1)]
  run('handleSubmissions', { userId, formId, ids: between, now: noon, state: 'done' })
  expect(submissions.findStateNeighbours(form(), 'open', middle)).toEqual({ older: undefined, newer: undefined })
  run('handleSubmissions', { userId, formId, ids: [ids[1002], ids[11_000]], now: noon, state: 'open' })
  expect(submissions.findStateNeighbours(form(), 'open', middle)).toEqual({ older: ids[1002], newer: ids[11_000] })
  expect(submissions.findStateNeighbours(form(), 'open', oldest)).toEqual({ older: undefined, newer: ids[1002] })
  expect(submissions.findStateNeighbours(form(), 'done', newest)).toEqual({ older: ids[12_001], newer: undefined })
})

import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { accessIn } from '../../src/forms/access.ts'
import { openReader } from '../../src/storage/reader.ts'
import { numberTally } from '../../src/submissions/answers/numbers.ts'
import { openAnswers } from '../../src/submissions/answers/store.ts'
import { toFilter } from '../../src/submissions/search/filter.ts'
import { openSearchTurns } from '../../src/submissions/search/turns.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const fields = [
  { name: 'slot', type: 'choice', label: 'When?', options: ['Morning', 'Noon'], other: true },
  { name: 'days', type: 'choices', options: ['Mon', 'Tue', 'Wed'] },
  { name: 'price', type: 'number' },
  { name: 'by', type: 'date' },
  { name: 'agree', type: 'checkbox' },
  { name: 'note', type: 'text' },
  { name: 'photo', type: 'file', maxFiles: 2 },
  { name: 'from', type: 'hidden' },
]
const file = (size: number) => ({ filename: 'a.png', type: 'image/png', size, file: 'f' })

const prepare = (sent: readonly object[], described: readonly object[] = fields, maxReadingMilliseconds = 1000) => {
  const data = openData()
  const { formId, userId, db, run } = data
  db.$client.run('UPDATE forms SET settings = ?', [JSON.stringify({ fields: described })])
  for (const [i, one] of sent.entries())
    run('createSubmission', { formId, id: newId(noon + i), data: JSON.stringify(one), fieldNames: Object.keys(one) })
  const reader = openReader(data.folder)
  afterThisTest(() => reader.close())
  const turns = openSearchTurns(reader, { queued: () => 0 })
  const store = openAnswers({ reader, access: accessIn(db), turns, maxReadingMilliseconds })
  const read = (cursor: string | null = null, q = '') => {
    const searcher = { userId, forms: null, signal: new AbortController().signal, checkAccess() {} }
    return store.read(searcher, formId, { filter: toFilter({ q }), range: { start: null, end: null }, cursor })
  }
  return { ...data, read }
}

describe('the answers to a form', () => {
  test('are added up for each field, by its type', async () => {
    const { read } = prepare([
      { slot: 'Morning', days: ['Mon', 'Wed'], price: 'about 5', by: '2026-11-03', agree: 'yes', from: 'x' },
      {
        slot: 'Evening',
        days: 'Mon',
        price: '1,5',
        by: '2026-11-30',
        agree: '0',
        note: ' ',
        photo: [file(3), file(4)],
      },
      { slot: ' Morning ', days: [], price: 2.5, by: '2026-12-01', note: 'Hello', photo: file(5) },
      { slot: null, price: '3', by: 'soon' },
    ])
    const { total, searched, next, fields: found } = await read()
    expect({ total, searched, next }).toEqual({ total: 4, searched: 4, next: null })
    const bins = expect.any(Array)
    const numbers = { count: 3, sum: 7, least: 1.5, most: 3, median: 2.5, mean: 7 / 3, isAbout: false, bins }
    expect(found).toEqual([
      {
        name: 'slot',
        label: 'When?',
        type: 'choice',
        answered: 3,
        options: [
          { value: 'Morning', count: 2 },
          { value: 'Noon', count: 0 },
          { value: null, count: 1 },
        ],
      },
      {
        name: 'days',
        label: 'days',
        type: 'choices',
        answered: 2,
        options: [
          { value: 'Mon', count: 2 },
          { value: 'Tue', count: 0 },
          { value: 'Wed', count: 1 },
        ],
      },
      { name: 'price', label: 'price', type: 'number', answered: 4, number: numbers },
      {
        name: 'by',
        label: 'by',
        type: 'date',
        answered: 4,
        months: [
          { month: '2026-11', count: 2 },
          { month: '2026-12', count: 1 },
        ],
      },
      {
        name: 'agree',
        label: 'agree',
        type: 'checkbox',
        answered: 4,
        options: [
          { value: true, count: 1 },
          { value: false, count: 3 },
        ],
      },
      { name: 'note', label: 'note', type: 'text', answered: 1 },
      { name: 'photo', label: 'photo', type: 'file', answered: 2, files: { count: 3, bytes: 12 } },
    ])
    expect((await read(null, 'hello')).total).toBe(1)
  })

  test('of one without fields are those of names with few short values', async () => {
    const sent = Array.from({ length: 30 }, (_, i) => ({ many: `m${i}`, few: `f${i % 2}`, long: 'x'.repeat(61) }))
    const { fields: found } = await prepare(sent, []).read()
    const options = [
      { value: 'f0', count: 15 },
      { value: 'f1', count: 15 },
    ]
    expect(found).toEqual([{ name: 'few', label: 'few', type: 'choice', answered: 30, options }])
  })

  test('are the same in pages that are added up, and of a long submission', async () => {
    const long = { slot: 'Noon', note: 'é'.repeat(100_000), price: '7' }
    const sent = [...Array.from({ length: 900 }, (_, i) => ({ slot: 'Morning', price: String(i % 50) })), long]
    const { read } = prepare(sent, fields, 0)
    const pages = [await read()]
    while (pages.at(-1)?.next) pages.push(await read(pages.at(-1)?.next))
    expect(pages.length).toBeGreaterThan(1)
    const sum = (of: (page: (typeof pages)[number]) => number | undefined) =>
      pages.reduce((all, page) => all + (of(page) ?? 0), 0)
    expect(sum(({ total }) => total)).toBe(901)
    expect(sum((page) => page.fields[0]?.options?.[0]?.count)).toBe(900)
    expect(sum((page) => page.fields[0]?.options?.[1]?.count)).toBe(1)
    const total = 18 * 49 * 25 + 7
    expect(sum((page) => page.fields[2]?.number?.sum)).toBe(total)
    expect(pages.slice(0, -1).map((page) => page.fields[2]?.number?.median)).toEqual(pages.slice(1).map(() => null))
    const last = pages.at(-1)?.fields[2]?.number
    expect(last?.mean).toBeCloseTo(total / 901)
    expect(Math.abs((last?.median ?? 0) - 24)).toBeLessThan(5)
    expect(
      new Set(pages.map((page) => JSON.stringify(page.fields[2]?.number?.bins.map(({ from }) => from)))).size,
    ).toBe(1)
    const other = prepare([]).read(pages[0]?.next)
    expect(other).rejects.toThrow()
  })
})

test('numbers are exact up to 10,000 different ones, and about right above', () => {
  const of = (count: number) => {
    const tally = numberTally(undefined)
    for (let i = 0; i < count; i++) tally.add((i * 7919) % count)
    return tally.end(true).answers
  }
  expect(of(10_000)).toMatchObject({ isAbout: false, median: 4999.5, least: 0, most: 9999, sum: 49_995_000 })
  const { isAbout, median, count, most, mean, bins } = of(200_000)
  expect({ isAbout, count, most, mean }).toEqual({ isAbout: true, count: 200_000, most: 199_999, mean: 99_999.5 })
  expect(Math.abs((median ?? 0) - 100_000)).toBeLessThan(1000)
  expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(200_000)
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { idAt } from '../../../../src/base/id.ts'
import { openAnswers } from '../../../../src/submissions/answers/store.ts'
import { toFilter } from '../../../../src/submissions/search/filter.ts'
import { openSearchTurns } from '../../../../src/submissions/search/turns.ts'
import { runsOf } from '../../../runs.ts'
import { openStores } from '../../../storage/stores.ts'

// A slow and obvious model of the answers. Each value below says itself what it counts as, so nothing here reads numbers, dates
// or languages as Formbox does.

const noon = Date.UTC(2026, 10, 21, 12)
const day = 86_400_000

interface Value {
  readonly sent: unknown
  readonly texts: readonly string[]
  readonly number?: number
  readonly month?: string
  readonly isTicked?: boolean
}

const text = (sent: string, more: Partial<Value> = {}): Value => ({
  sent,
  texts: [sent.trim()],
  isTicked: true,
  ...more,
})
const values: readonly Value[] = [
  ...['Morning', 'Früh am Tag', '朝', 'صباحًا', 'Πρωί', 'утро', '🌅 dawn', 'מוקדם', 'own "answer"\n'].map((sent) =>
    text(sent),
  ),
  text('  Morning '),
  ...[null, '', '  ', []].map((sent) => ({ sent, texts: [] })),
  { sent: true, texts: ['true'], isTicked: true },
  { sent: false, texts: ['false'] },
  text('0', { number: 0, isTicked: false }),
  text('off', { isTicked: false }),
  text('1,5', { number: 1.5 }),
  text('2.50', { number: 2.5 }),
  text('1 000', { number: 1000 }),
  text("1'000,25", { number: 1000.25 }),
  text('٣', { number: 3 }),
  text('-7', { number: -7 }),
  { sent: 12, texts: ['12'], number: 12, isTicked: true },
  text('1.234,5'),
  text('9'.repeat(400)),
  text('2026-02-28', { month: '2026-02' }),
  text('2024-02-29', { month: '2024-02' }),
  text('2026-02-29'),
  { sent: { deep: ['x'] }, texts: ['{"deep":["x"]}'], isTicked: true },
]
const file = (size: number) => ({ filename: 'a.png', type: 'image/png', size, file: 'none' })

const names = ['slot', 'days', 'price', 'second price', 'by', 'agree', 'note', 'photo', 'toString'] as const
const fields = [
  { name: 'slot', type: 'choice', label: 'When?', options: ['Morning', '朝', 'Gone'] },
  { name: 'days', type: 'choices', options: ['Früh am Tag', 'Πρωί', 'true', '12'] },
  { name: 'price', type: 'number' },
  { name: 'second price', type: 'number' },
  { name: 'by', type: 'date' },
  { name: 'agree', type: 'checkbox' },
  { name: 'note', type: 'text' },
  { name: 'photo', type: 'file' },
  { name: 'toString', type: 'lines' },
] as const

type Row = Readonly<Record<string, readonly Value[] | readonly number[]>>

const one = fc.constantFrom(...values)
const answer = fc.array(one, { minLength: 1, maxLength: 3 })
const row = fc.record(
  Object.fromEntries(names.map((name) => [name, name === 'photo' ? fc.array(fc.nat(9), { maxLength: 2 }) : answer])),
  { requiredKeys: [] },
) as fc.Arbitrary<Row>

const flat = (values: readonly Value[]): unknown =>
  values.length === 1 ? values[0]?.sent : values.flatMap(({ sent }) => sent)
const toSent = (row: Row): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([name, is]) => [
        name,
        name === 'photo' ? (is as readonly number[]).map(file) : flat(is as readonly Value[]),
      ]),
    ),
  )

/** Words, and what they are in: the letters of Latin, Greek and Cyrillic also without accents and case. */
const words: readonly (readonly [q: string, texts: readonly string[]])[] = [
  ['MORN', ['Morning', '  Morning ']],
  ['fruh', ['Früh am Tag']],
  ['朝', ['朝']],
  ['πρωι', ['Πρωί']],
]

const count = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length

const valuesOf = (row: Row, name: string) => (Object.hasOwn(row, name) ? row[name] : undefined) ?? []

const expected = (rows: readonly Row[]) =>
  fields.map((field) => {
    const { name, type } = field
    if (type === 'file') {
      const sizes = rows.map((row) => valuesOf(row, name) as readonly number[])
      const all = sizes.flat()
      const files = { count: all.length, bytes: all.reduce((sum, size) => sum + size, 0) }
      return { name, answered: count(sizes, ({ length }) => length > 0), files }
    }
    const given = rows.map((row) => valuesOf(row, name) as readonly Value[])
    const answered = count(given, (all) => all.some(({ texts }) => texts.length > 0))
    if (type === 'checkbox') {
      const ticked = count(given, (all) => all.some(({ isTicked }) => isTicked === true))
      const options = [
        { value: true, count: ticked },
        { value: false, count: rows.length - ticked },
      ]
      return { name, answered: rows.length, options }
    }
    const texts = given.map((all) => all.flatMap((one) => one.texts))
    if ('options' in field) {
      const known: readonly string[] = field.options
      const others = count(texts, (all) => all.some((one) => !known.includes(one)))
      const options = known.map((value) => ({
        value: value as string | null,
        count: count(texts, (all) => all.includes(value)),
      }))
      return { name, answered, options: others > 0 ? [...options, { value: null, count: others }] : options }
    }
    if (type === 'number') {
      const all = given
        .flat()
        .flatMap(({ number }) => (number === undefined ? [] : number))
        .sort((a, b) => a - b)
      return { name, answered, numbers: all }
    }
    if (type === 'date') {
      const all = given.flat().flatMap(({ month }) => month ?? [])
      const months = [...new Set(all)].sort().map((month) => ({ month, count: count(all, (one) => one === month) }))
      return { name, answered, months }
    }
    return { name, answered }
  })

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0)

/** Adds up what pages say, as a client does. */
const addedUp = (pages: Awaited<ReturnType<ReturnType<typeof openAnswers>['read']>>[]) =>
  fields.map(({ name, type }, i) => {
    const parts = pages.flatMap((page) => page.fields[i] ?? [])
    const answered = sum(parts.map((part) => part.answered))
    if (type === 'number') {
      const numbers = parts.map(({ number }) => number)
      const least = numbers.flatMap((one) => one?.least ?? [])
      const most = numbers.flatMap((one) => one?.most ?? [])
      return {
        name,
        answered,
        count: sum(numbers.map((one) => one?.count ?? 0)),
        inBins: sum(numbers.flatMap((one) => one?.bins.map((bin) => bin.count) ?? [])),
        sum: sum(numbers.map((one) => one?.sum ?? 0)),
        least: least.length > 0 ? Math.min(...least) : null,
        most: most.length > 0 ? Math.max(...most) : null,
        mean: numbers.at(-1)?.mean ?? null,
        median: pages.length === 1 ? numbers[0]?.median : undefined,
      }
    }
    if (type === 'checkbox' || type === 'choice' || type === 'choices') {
      const all = parts.flatMap(({ options = [] }) => options)
      const values = [...new Set(all.map(({ value }) => value))].sort((a, b) => Number(a === null) - Number(b === null))
      const options = values.map((value) => ({
        value,
        count: sum(all.filter((one) => one.value === value).map((one) => one.count)),
      }))
      return { name, answered, options }
    }
    if (type === 'date') {
      const all = parts.flatMap(({ months = [] }) => months)
      const months = [...new Set(all.map(({ month }) => month))]
        .sort()
        .map((month) => ({ month, count: sum(all.filter((one) => one.month === month).map((one) => one.count)) }))
      return { name, answered, months }
    }
    if (type !== 'file') return { name, answered }
    const files = {
      count: sum(parts.map((part) => part.files?.count ?? 0)),
      bytes: sum(parts.map((part) => part.files?.bytes ?? 0)),
    }
    return { name, answered, files }
  })

const summary = (numbers: readonly number[]) => ({
  count: numbers.length,
  inBins: numbers.length,
  sum: sum(numbers),
  least: numbers[0] ?? null,
  most: numbers.at(-1) ?? null,
  mean: numbers.length > 0 ? sum(numbers) / numbers.length : null,
})

const medianOf = (numbers: readonly number[]): number | null => {
  const half = numbers.length >> 1
  if (numbers.length === 0) return null
  return numbers.length % 2 === 1
    ? (numbers[half] as number)
    : ((numbers[half - 1] as number) + (numbers[half] as number)) / 2
}

const rounded = (one: unknown): unknown =>
  JSON.parse(JSON.stringify(one, (_, value) => (typeof value === 'number' ? Number(value.toFixed(6)) : value)))

test('are those of a slow and obvious model, in one page and in several', async () => {
  const stores = openStores()
  const { reader, access, run, execute, createForm, userId } = stores
  let pagesRead = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(1, 1, 60),
      fc.option(fc.constantFrom(...words)),
      fc.constantFrom(null, 'open' as const, 'done' as const),
      fc.option(fc.tuple(fc.nat(9), fc.nat(9))),
      async (some, times, word, state, days) => {
        const rows = Array.from({ length: times }, () => some).flat()
        const formId = createForm(userId, 'Asked')
        const at = (i: number) => noon + (i % 10) * day
        const all = rows.map((row, i) => ({ row, time: at(i), id: idAt(at(i), i), isDone: i % 3 === 0 }))
        stores.db.$client.run('UPDATE forms SET settings = ? WHERE id = ?', [JSON.stringify({ fields }), formId])
        execute(
          all.map(({ row, id }) => [
            'createSubmission',
            { formId, id, data: toSent(row), fieldNames: Object.keys(row) },
          ]),
        )
        // Spam never counts.
        const spam = idAt(noon, rows.length)
        run('createSubmission', { formId, id: spam, data: toSent(some[0] as Row), fieldNames: [] })
        run('markSpam', { userId, formId, now: noon, id: spam })
        const done = all.filter(({ isDone }) => isDone).map(({ id }) => id)
        run('handleSubmissions', { userId, formId, now: noon, ids: done, state: 'done' })

        const [first, last] = days ? days.toSorted() : [0, 9]
        const range = { start: days ? at(first as number) : null, end: days ? at(last as number) + day - 1 : null }
        const isFound = (row: Row) =>
          !word ||
          Object.entries(row).some(
            ([name, is]) =>
              name !== 'photo' && (is as readonly Value[]).some(({ sent }) => word[1].includes(sent as string)),
          )
        const wanted = all
          .filter(({ time }) => time >= at(first as number) && time <= at(last as number))
          .filter(({ isDone }) => state === null || isDone === (state === 'done'))
          .filter(({ row }) => isFound(row))
          .map(({ row }) => row)

        const turns = openSearchTurns(reader, { queued: () => 0 })
        const { read, begin } = openAnswers({ reader, access, turns, maxReadingMilliseconds: times === 1 ? 1000 : 0 })
        const asker = { userId, forms: null, signal: new AbortController().signal, checkAccess() {} }
        const query = { filter: toFilter({ q: word?.[0], state: state ?? '' }), range }
        reader.release()
        const pages = [await read(asker, formId, { ...query, cursor: null })]
        for (let next = pages[0]?.next; next; next = pages.at(-1)?.next)
          pages.push(await read(asker, formId, { ...query, cursor: next }))
        pagesRead = Math.max(pagesRead, pages.length)

        expect(sum(pages.map(({ total }) => total))).toBe(wanted.length)
        const model = expected(wanted)
        const isWhole = pages.length === 1
        const asCounted = model.map(({ numbers, ...field }) =>
          numbers ? { ...field, ...summary(numbers), ...(isWhole && { median: medianOf(numbers) }) } : field,
        )
        expect(rounded(addedUp(pages))).toEqual(rounded(asCounted))

        // All at once, whatever the number of pages: exact.
        const counting = begin(asker, formId, query)
        const patience = { until: AbortSignal.abort() }
        let whole = await counting.readOn(patience)
        while (!whole.isDone) whole = await counting.readOn(patience)
        const exact = model.map(({ numbers, ...field }) =>
          numbers ? { ...field, ...summary(numbers), median: medianOf(numbers) } : field,
        )
        expect(rounded(addedUp([{ ...whole, next: null }]))).toEqual(rounded(exact))
      },
    ),
    { numRuns: runsOf(200) },
  )
  expect(pagesRead).toBeGreaterThan(1)
})

// What a file may cost that was made to cost much.
import { expect, test } from 'bun:test'
import { defaultSettings } from '../../src/forms/settings/settings.ts'
import { maxNotes, noteRule } from '../../src/submissions/notes.ts'
import { findFiles } from '../../src/transfer/import/files.ts'
import { readJson, readNdjson } from '../../src/transfer/import/json.ts'
import { notesInLines, stagedNotes } from '../../src/transfer/import/notes.ts'
import { emptyPlan } from '../../src/transfer/import/plan.ts'
import { findTimes } from '../../src/transfer/import/time-column.ts'
import { rankOfTime } from '../../src/transfer/import/time-names.ts'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'

test('the names of a header are looked at once, however many of them need another one beside them', () => {
  let reads = 0
  const names = Array.from({ length: 1000 }, (_, i) => `End${'-'.repeat(i % 90)} ${' '.repeat(i / 90)}Date`)
  const columns = new Proxy([...names, 'Respondent ID'], {
    get(all, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(all, key)
    },
  })
  const ranks = new Set(names.map((name) => rankOfTime(name, columns)))
  expect([...ranks]).toEqual([rankOfTime('enddate', ['collector id'])])
  expect(reads).toBe(columns.length)
  expect(rankOfTime('End Date', names)).toBeUndefined()
  expect(rankOfTime('End Date', undefined)).toBeUndefined()
})

test('a cell of notes is split into as many lines as a submission has notes', async () => {
  const line = '2026-03-04T05:06:07.008Z ada@example.com: '
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `${line}${i}`).join('\n')
  expect(notesInLines(lines(maxNotes))).toHaveLength(maxNotes)
  const more = lines(maxNotes + 1)
  expect(notesInLines(more)).toEqual([{ at: undefined, text: more }])
  const [[, kept]] = JSON.parse(stagedNotes([{ at: 1, text: `  ${'😀'.repeat(noteRule.maxLength + 1)}` }], 0) ?? '')
  expect(kept).toBe('😀'.repeat(noteRule.maxLength))

  // As long as reading it twice takes: before, it was a hundred times that.
  const cell = `${'\n'.repeat(8_000_000)}x`
  const reading = await processorMillisecondsOf(() => [cell.trim().length, cell.lastIndexOf('y')])
  await expectBelow(20 * reading + 50, () => processorMillisecondsOf(() => notesInLines(cell)))
})

// An archive gives parts of 16 KiB. Each was joined with all that came before it of a row, which took a gigabyte and minutes.
test.each([
  ['NDJSON', readNdjson, ['', '']],
  ['JSON', readJson, ['[', ']']],
] as const)(
  'a long row of %s takes no more time and memory in small parts than whole',
  async (_, read, [start, end]) => {
    const blanks = ' '.repeat(8_000_000)
    const bytes = new TextEncoder().encode(`${start}{"a":"1"${blanks}}${end}\n`)
    const partsOf = async function* (length: number) {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
    }
    const readIn = (length: number) =>
      processorMillisecondsOf(async () => {
        const fields: unknown[] = []
        for await (const entry of read(partsOf(length))) fields.push(...entry.parse().fields)
        expect(fields).toEqual([{ name: 'a', json: '"1"' }])
      })
    const whole = await readIn(bytes.length)
    await expectBelow(20 * whole + 50, () => readIn(1024))
  },
)

// Each of 20,000 was looked for among 200,000: ten such rows, 40 kB as an archive, took 40 s of processor time.
test('the files that a submission names are found in its list at once', async () => {
  const named = { filename: 'a', type: 'text/plain', size: 1, file: 'none' }
  const json = JSON.stringify(Array.from({ length: 20_000 }, () => named))
  const archived = { submission: 's', files: Array.from({ length: 200_000 }, (_, i) => `file ${i}`) }
  const reading = await processorMillisecondsOf(() => [JSON.parse(json), new Set(archived.files)])
  await expectBelow(20 * reading + 50, () =>
    processorMillisecondsOf(() => {
      const { missing } = findFiles([{ name: 'a', json }], { archived }, { archive: undefined, rules: defaultSettings })
      expect(missing).toBe(20_000)
    }),
  )
})

// A hundred were kept, each with 8 MB of blanks: an archive of 0.8 MB took more than a gigabyte.
test('the rows that are read ahead are few if they are long, whatever makes them so', async () => {
  const row = new TextEncoder().encode(`{"a":"1"${' '.repeat(300_000)}}\n`)
  let rows = 0
  const chunks = async function* () {
    for (; rows < 200; rows++) yield row
  }
  const words = { column: '', order: '', isOff: '' }
  const options = { column: undefined, order: undefined, timeZone: 'UTC', isOff: true, words }
  const found = await findTimes(readNdjson(chunks()), { options, plan: emptyPlan(), settled: undefined })
  expect(rows).toBeLessThan(10)
  for await (const entry of found.entries) found.parse(entry)
  expect(rows).toBe(200)
})

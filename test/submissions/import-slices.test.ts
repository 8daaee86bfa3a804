// How much of an import one write takes: other writes wait meanwhile.
import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { timeFlags } from '../../src/commands/import.ts'
import { maxNotesInSlice } from '../../src/submissions/imports/add-slice.ts'
import { importSlice } from '../../src/submissions/slices.ts'
import type { Entry } from '../../src/transfer/import/imported.ts'
import { emptyPlan } from '../../src/transfer/import/plan.ts'
import { stage } from '../../src/transfer/import/staged.ts'
import { temporaryFolder } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { rowsOf } from '../storage/sound.ts'

const noon = Date.UTC(2026, 10, 22, 12)
const half = 'x'.repeat(importSlice.maxBytes / 2 + 1)

/** An import of four submissions, each with so much of data or notes that a write takes one. */
const withStaged = (row: (id: string) => readonly (string | null)[]) => {
  const data = openData()
  const { userId, formId, run, folder } = data
  const importId = newId(noon)
  run('beginImport', { id: importId, userId, formId, node: '', report: '{}', now: noon })
  run('stageRows', { importId, rows: Array.from({ length: 4 }, () => row(newId(noon))) })
  const left = () => rowsOf(folder, 'SELECT 1 FROM staged_rows').length
  return { ...data, importId, left }
}

test.each([
  ['data', (id: string) => [id, JSON.stringify({ a: half })]],
  ['notes', (id: string) => [id, '{"a":1}', JSON.stringify([[id, half]])]],
] as const)('an import with long %s comes in, and is given up, in small parts', (_, row) => {
  const added = withStaged(row)
  added.run('addStaged', { importId: added.importId, report: '{}', fieldNames: ['a'], count: 4, now: noon })
  added.run('addSlice', { importId: added.importId, now: noon, ...importSlice })
  expect(added.left()).toBe(3)

  const failed = withStaged(row)
  failed.run('failImport', { importId: failed.importId, now: noon })
  const slice = { importId: failed.importId, maxRows: 10, maxBytes: half.length }
  for (const rest of [3, 2, 1, 0]) {
    expect(failed.run('removeRest', slice)).toBe(true)
    expect(failed.left()).toBe(rest)
  }
  expect(failed.run('removeRest', slice)).toBe(false)
})

test('an import with many notes comes in in small parts', () => {
  const notes = Array.from({ length: maxNotesInSlice / 2 + 1 }, (_, order) => [newId(noon + order), 'n'])
  const added = withStaged((id) => [id, '{"a":1}', JSON.stringify(notes)])
  added.run('addStaged', { importId: added.importId, report: '{}', fieldNames: ['a'], count: 4, now: noon })
  for (const rest of [3, 2, 1, 0]) {
    added.run('addSlice', { importId: added.importId, now: noon, ...importSlice })
    expect(added.left()).toBe(rest)
  }
})

test('notes count for the size of an import', async () => {
  const notes = [{ at: noon, text: 'x'.repeat(1000) }]
  const sizes: number[] = []
  async function* entries(): AsyncGenerator<Entry, void> {
    yield {
      location: 'line 1',
      parse: () => ({ id: undefined, fields: [{ name: 'a', json: '1' }], time: noon, notes }),
    }
  }
  const options = {
    form: { settings: null },
    archive: undefined,
    plan: emptyPlan(),
    time: { isOff: true, words: timeFlags },
    now: noon,
    onSize: ({ bytes }: { bytes: number }) => void sizes.push(bytes),
  }
  const staged = await stage(
    temporaryFolder(),
    { entries: entries(), parse: (entry) => entry.parse(), end() {} },
    options,
  )
  staged.remove()
  expect(sizes[0]).toBeGreaterThan(1000)
  expect(staged.bytes).toBe(sizes[0] as number)
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { formReader } from '../../src/forms/ownership.ts'
import { idAt } from '../../src/id.ts'
import { importFile } from '../../src/import/import-file.ts'
import { openData } from '../storage/data.ts'

test('an import numbers the pieces of long submissions in the order of their identifiers', async () => {
  const { db, folder, formId } = openData()
  const form = formReader(db)(formId)
  if (!form) throw new Error('there is no form')
  const ids = [3, 1, 2].map((day) => idAt(Date.UTC(2026, 0, day), 0))
  const lines = ids.map((id, i) =>
    JSON.stringify({
      id,
      createdAt: new Date(Date.UTC(2026, 0, [3, 1, 2][i])).toISOString(),
      data: { a: 'x'.repeat(70_000) },
    }),
  )
  const path = join(folder, 'in.ndjson')
  await Bun.write(path, lines.join('\n'))
  db.$client.run('PRAGMA reverse_unordered_selects = ON')
  await importFile({ db, folder, form, write: null }, path, {
    format: 'ndjson',
    isRaw: false,
    isDryRun: false,
    onProgress: () => {},
  })
  const rows = db.$client.query<{ id: string }, []>('SELECT submission AS id FROM pieces ORDER BY number').all()
  expect(rows.map(({ id }) => id)).toEqual(ids.toSorted().flatMap((id) => [id, id]))
})

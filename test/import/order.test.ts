import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { idAt } from '../../src/base/id.ts'
import { timeFlags } from '../../src/commands/import.ts'
import { type Form, formReader } from '../../src/forms/form.ts'
import { importFile } from '../../src/transfer/import/import-file.ts'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'
import { openData } from '../storage/data.ts'

const options = {
  format: 'ndjson',
  isRaw: false,
  time: { timeZone: 'UTC', isOff: true, words: timeFlags },
  isDryRun: false,
  onProgress: () => {},
} as const

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
  await importFile({ db, folder, form, write: null }, path, options)
  const rows = db.$client.query<{ id: string }, []>('SELECT submission AS id FROM pieces ORDER BY number').all()
  expect(rows.map(({ id }) => id)).toEqual(ids.toSorted().flatMap((id) => [id, id]))
})

test('an import of one submission takes no longer into a form that has many, in the inbox or in the spam', async () => {
  const { db, folder, userId, formId, createForm } = openData()
  const [few, many] = [formId, createForm(userId)].map((id) => formReader(db)(id) as Form)
  if (!few || !many) throw new Error('there are no forms')
  db.$client
    .query(`WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted LIMIT 200000)
      INSERT INTO submissions (form, list, id, data, reason) SELECT ?, ?, printf('%028d', n), '{}', 'terms' FROM counted`)
    .run(many.number, many.spamList)
  const path = join(folder, 'in.ndjson')
  await Bun.write(path, '{"data":{"name":"Ada"}}')
  const importInto = (form: Form) => () =>
    processorMillisecondsOf(() => importFile({ db, folder, form, write: null }, path, options))
  await importInto(few)()
  const alone = Math.min(await importInto(few)(), await importInto(few)(), await importInto(few)())
  await expectBelow(2 * alone + 5, importInto(many))
})

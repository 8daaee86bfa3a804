// Keeps a log of this version, for the test beside: `make keep-log` writes VERSION.log.gz. Run once for every release.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../package.json'
import { newId } from '../../src/base/id.ts'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { connect } from '../../src/storage/open.ts'
import { createBatchExecutor } from '../../src/storage/writer/batch.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { randomRows } from '../cluster/random-rows.ts'
import { type KeptLog, maxBytes, tablesOf } from './kept-log.ts'

const path = join(import.meta.dir, `${version}.log.gz`)
const attempts = 100

/** Something of everything, for the random rows to work on. */
const beginning = (): string[] => {
  const now = Date.now()
  const ids = (count: number) => Array.from({ length: count }, () => newId(now))
  const row = (...commands: [name: string, input: object][]) => JSON.stringify(commands)
  const reply = { field: 'number', subject: 'Thank you', text: 'We answer soon.', copy: false }
  const url = { url: 'https://example.com/', host: 'example.com:443', format: 'standard', description: null }
  return ids(2).flatMap((userId) => {
    const forms = ids(3)
    return [
      row(
        ['createUser', { id: userId, email: `${userId}@example.com`, passwordHash: 'none' }],
        ['createForms', { userId, forms: forms.map((id) => ({ id, title: 'Contact' })) }],
      ),
      ...forms
        .slice(1)
        .map((formId) =>
          row(
            ['createWebhook', { userId, formId, ...url, id: newId(now), secret: `whsec_${'A'.repeat(44)}` }],
            ['updateFormSettings', { userId, id: formId, now, changes: { notify: ['Ada@example.com'], reply } }],
          ),
        ),
      ...forms.map((formId) =>
        row(
          ...ids(70).map((id, position): [string, object] => {
            const data = JSON.stringify({ number: position, text: 'x'.repeat(position % 30 === 7 ? 70_000 : 1) })
            const answer = position % 3 === 0 ? { to: `visitor${position % 11}@example.org` } : undefined
            return ['createSubmission', { formId, id, data, fieldNames: ['number', 'text'], reply: answer }]
          }),
          ...ids(3).map((id): [string, object] => [
            'createSubmission',
            { fieldNames: [], formId, id, data: '{"a":1}', reason: 'links' },
          ]),
        ),
      ),
    ]
  })
}

/** Random rows, and what this version makes of them. */
const makeLog = (): KeptLog => {
  const folder = mkdtempSync(join(tmpdir(), 'formbox-keep-'))
  try {
    prepareDataFolder(folder)
    const db = connect(folder)
    db.$client.run('PRAGMA synchronous = OFF')
    const execute = createBatchExecutor(db, joinWrites(db))
    const first = beginning()
    for (const row of first) execute(JSON.parse(row))
    const rows = [...first, ...randomRows(folder, first, 60)]
    for (const row of rows.slice(first.length)) execute(JSON.parse(row))
    const tables = tablesOf(db.$client)
    db.$client.close()
    return { migrations: migrations.length, rows, tables }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many tables have rows at the end: a migration is tested on those. */
const filled = ({ tables }: KeptLog): number => Object.values(tables).filter((rows) => rows.length > 0).length

try {
  // What was released must not be replaced by what was built later under the same number.
  if (existsSync(path)) throw new Error(`the log of ${version} is kept already, in ${path}`)
  let best: { readonly log: KeptLog; readonly bytes: Uint8Array<ArrayBuffer> } | undefined
  // Luck decides what is deleted at the end, and what a row is about.
  for (let i = 0; i < attempts; i++) {
    const log = makeLog()
    const bytes = Bun.gzipSync(JSON.stringify(log), { level: 9 })
    if (bytes.length < maxBytes && (!best || filled(log) > filled(best.log))) best = { log, bytes }
  }
  if (!best) throw new Error(`all of ${attempts} logs are longer than ${maxBytes} bytes`)
  await Bun.write(path, best.bytes)
  const { log, bytes } = best
  const counts = `${log.rows.length} rows, which fill ${filled(log)} of ${Object.keys(log.tables).length} tables`
  process.stdout.write(`kept a log of ${version}: ${counts}, ${bytes.length} bytes\n`)
} catch (error) {
  process.stderr.write(`keep-log: ${(error as Error).message}\n`)
  process.exitCode = 1
}

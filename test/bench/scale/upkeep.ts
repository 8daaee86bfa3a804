import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startFormbox } from '../process.ts'
import { send } from '../wrk.ts'
import { type Cost, costOfCommand } from './cost.ts'
import { type Filled, othersOf } from './fill.ts'
import type { Steps } from './reading.ts'

/** What the operator does with all data at once. */
export const upkeepSteps = (filled: Filled, scratch: string): Steps => {
  const { folder, size } = filled
  const place = mkdtempSync(join(scratch, 'upkeep-'))
  const copy = join(place, 'backup.db')
  return {
    start: () => costOfStart(folder),
    'backup, a row': async () => {
      const server = await startFormbox(folder)
      const beside = { server, others: othersOf(filled) }
      return costOfCommand(['backup', copy, '--data', folder], size, beside).finally(server.stop)
    },
    'restore, a row': () => costOfCommand(['restore', copy, '--data', join(place, 'restored')], size),
    'upgrade that rewrites the table, a row': async () => {
      rmSync(place, { recursive: true })
      cpSync(folder, place, { recursive: true })
      return costOfCommand([place], size, undefined, [process.execPath, '-e', upgrade]).finally(() =>
        rmSync(place, { recursive: true }),
      )
    },
  }
}

/** What drizzle-kit writes when a column changes: each row is written anew. */
const rebuild = `CREATE TABLE new (form integer NOT NULL, list integer DEFAULT 0 NOT NULL, id text NOT NULL, data text NOT NULL,
  reason text, marked_at integer, PRIMARY KEY (form, list, id), FOREIGN KEY (form) REFERENCES forms (number)) STRICT, WITHOUT ROWID;
INSERT INTO new SELECT * FROM submissions;--> statement-breakpoint
DROP TABLE submissions;--> statement-breakpoint
ALTER TABLE new RENAME TO submissions;`

const sources = join(import.meta.dir, '../../../src')
const upgrade = `
  import { prepareDataFolder } from '${sources}/storage/data-folder.ts'
  import { migrations } from '${sources}/storage/migrations.ts'
  prepareDataFolder(process.argv.at(-1), { list: [...migrations, { name: '9000_step', sql: ${JSON.stringify(rebuild)} }] })`

/** Until the first answer. */
const costOfStart = async (folder: string): Promise<Cost> => {
  const begin = performance.now()
  const server = await startFormbox(folder)
  await send(server, { path: '/healthz' })
  const seconds = (performance.now() - begin) / 1000
  const cost = { each: server.processorTime(), seconds, peak: server.memory().memory ?? Number.NaN, others: null }
  await server.stop()
  return cost
}

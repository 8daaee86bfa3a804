import { trailWrites } from '../../forms/trail.ts'
import type { Connection } from '../../storage/open.ts'
import { importSlice } from '../slices.ts'
import { importStatements } from './import-statements.ts'

interface Done {
  readonly id: string
  /** Number of the form. */
  readonly form: number
  readonly userId: string
  readonly node: string
  readonly report: string
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Returns a function that writes down an import whose rows are added in the same transaction, so that it can be taken back.
 *
 * @returns a function of the import and of the SQL after FROM that has its rows
 */
export const importRecorder = (db: Connection): ((done: Done, rows: string) => void) => {
  const { $client: client } = db
  const note = trailWrites(db)
  const { insert, setState, countAdded, addPage } = importStatements(db)
  return ({ id, form, userId, node, report, now: at }, rows) => {
    insert.run({ id, form, userId, state: 'adding', node, report, beganAt: at, hasRest: true })
    const next = client.query<{ id: string }, [string]>(
      `SELECT id FROM ${rows} AND id > ? ORDER BY id LIMIT ${importSlice.maxRows}`,
    )
    let added = 0
    for (let ids = next.all(''); ids.length > 0; ids = next.all(ids.at(-1)?.id ?? '~')) {
      addPage.run({ importId: id, page: added, ids: JSON.stringify(ids.map((row) => row.id)) })
      added += ids.length
    }
    countAdded.run({ id, by: 0, added })
    setState.run({ id, state: 'done', report, finishedAt: at })
    note(form, { userId, at, what: 'imported', detail: id, count: added })
  }
}

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
  const { insert, setState, countAdded } = importStatements(db)
  return ({ id, form, userId, node, report, now: at }, rows) => {
    insert.run({ id, form, userId, state: 'adding', node, report, beganAt: at, hasRest: true })
    // Not read first: the identifiers of 200,000 rows took 16 MB.
    const addPage = client.query<{ count: number; last: string }, [string, number, string]>(
      `INSERT INTO imported_pages (import_id, page, ids)
      SELECT ?, ?, json_group_array(id ORDER BY id)
      FROM (SELECT id FROM ${rows} AND id > ? ORDER BY id LIMIT ${importSlice.maxRows}) HAVING count(*) > 0
      RETURNING json_array_length(ids) AS count, json_extract(ids, '$[#-1]') AS last`,
    )
    let added = 0
    for (let page = addPage.get(id, 0, ''); page; page = addPage.get(id, added, page.last)) added += page.count
    countAdded.run({ id, by: 0, added })
    setState.run({ id, state: 'done', report, finishedAt: at })
    note(form, { userId, at, what: 'imported', detail: id, count: added })
  }
}

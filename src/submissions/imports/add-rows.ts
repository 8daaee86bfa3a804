import { notFound } from '../../base/errors.ts'
import { fieldNameWrites } from '../../forms/field-names.ts'
import { formReader } from '../../forms/form.ts'
import type { Connection } from '../../storage/open.ts'
import { submissions } from '../../storage/tables.ts'
import { submissionBelongings } from '../belongings.ts'
import { fileAdopter, type NewFile } from '../files/file-writes.ts'
import { inboxOf } from '../lists.ts'
import { noteImporter } from '../note-writes.ts'
import { pieceWriter } from '../pieces.ts'
import { recountAdded } from '../recount-tallies.ts'
import { formTotals } from '../rows.ts'
import { hasMore, importedNames, type StagedBeside, stagedBeside } from '../stored-submission.ts'
import { unreadWrites } from '../unread-writes.ts'
import { leftoverRemoval, type Waiting } from './leftovers.ts'

interface Import {
  readonly formId: string
  readonly fieldNames: readonly string[]
  readonly waiting: Waiting
  readonly files: AdoptedFiles
}

/** Submissions with their staged files. */
export type AdoptedFiles = readonly (readonly [submission: string, files: readonly NewFile[]])[]

const columns = importedNames.map((name) => submissions[name].name)

/**
 * Returns a function that imports all that waits, or none, and returns how many they are. The form must not have any of
 * their identifiers. No one has imported submissions unread to whom nothing else is.
 */
export const rowImporter = (db: Connection): ((input: Import) => number) => {
  const { $client: client } = db
  const totals = formTotals(db)
  const unread = unreadWrites(db)
  const recount = recountAdded(db)
  const { addFieldNames } = fieldNameWrites(db)
  const findForm = formReader(db)
  const writePieces = pieceWriter(db)
  const removeLeftovers = leftoverRemoval(db)
  const add: StagedBeside<(form: number, id: string, text: string) => void> = { notes: noteImporter(db) }
  const adopt = fileAdopter(db)
  const belongings = submissionBelongings(db)

  return ({ formId, fieldNames, waiting, files }) => {
    const { rows, values } = waiting
    const form = findForm(formId)
    if (!form) throw notFound('Form')
    const inbox = inboxOf(form.number)
    const readers = unread.withoutUnread(form)
    removeLeftovers(form.number, waiting)
    const { changes } = client
      .query(`INSERT INTO submissions (form, list, ${columns.join()})
        SELECT ?, 0, ${columns.map((name) => (name === 'data' ? "iif(is_long, '', data)" : name)).join()}
        FROM ${rows} ORDER BY id`)
      .run(form.number, ...values)
    // What few have. The condition is that of an index of the file in which an import of the command line stages its rows.
    const more = client.query<StagedBeside<string | null> & { id: string; long: string | null }, string[]>(
      `SELECT id, iif(is_long, data, NULL) AS long, ${stagedBeside.join()} FROM ${rows} AND (${hasMore}) ORDER BY id`,
    )
    for (const { id, long, ...beside } of more.iterate(...values)) {
      if (long !== null) writePieces(inbox, id, long)
      for (const name of stagedBeside) if (beside[name] !== null) add[name](form.number, id, beside[name])
    }
    for (const [id, added] of files) adopt(inbox, id, added)
    const first = client.query<{ id: string }, string[]>(`SELECT id FROM ${rows} ORDER BY id LIMIT 1`).get(...values)
    const all = client.query<{ id: string; data: string }, string[]>(`SELECT id, data FROM ${rows} ORDER BY id`)
    if (first) belongings.imported(form, first.id, () => all.iterate(...values))
    const next = client.query<{ id: string }, string[]>(`SELECT id FROM ${rows} AND id >= ? ORDER BY id LIMIT 1`)
    recount(inbox, (from) => next.get(...values, from)?.id)
    totals.change(form.number, 'inbox', changes)
    unread.keepRead(form.number, readers)
    addFieldNames(form, [{ fieldNames }])
    return changes
  }
}

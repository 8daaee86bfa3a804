import { and, eq } from 'drizzle-orm'
import { deliveryRemoval } from '../../outbox/removal.ts'
import type { Connection } from '../../storage/open.ts'
import { abandonedPieces, param, pieces, submissions } from '../../storage/tables.ts'
import { submissionBelongings } from '../belongings.ts'
import { submissionFiles } from '../files/file-writes.ts'
import { inList } from '../lists.ts'

/** Where checked submissions wait until they are imported. */
export interface Waiting {
  /** The SQL after FROM, with a condition: rows with the columns `stagedNames` and `is_long`. */
  readonly rows: string
  /** Values of the condition's parameters. */
  readonly values: readonly string[]
}

/**
 * Returns a function that removes at once what deletion has left of submissions that are imported again: they must not find
 * the notes, deliveries and marks of what was deleted, nor lose their own when that is removed later. So no identifier is
 * twice in a form.
 */
export const leftoverRemoval = (db: Connection): ((form: number, waiting: Waiting) => void) => {
  const { $client: client } = db
  const files = submissionFiles(db)
  const deliveries = deliveryRemoval(db)
  const { removeWith } = submissionBelongings(db)
  const { removePieces, removeAbandoned, removeRow } = statements(db)

  return (form, { rows, values }) => {
    const find = (query: string) =>
      client.query<{ list: number; id: string }, (string | number)[]>(query).all(form, ...values)
    const left = [
      // Of those that were deleted one by one, what is long.
      ...find(
        `SELECT list, submission AS id FROM abandoned_pieces WHERE form = ? AND EXISTS (
          SELECT 1 FROM ${rows} AND id = abandoned_pieces.submission) ORDER BY list, submission`,
      ),
      ...find(
        `SELECT list, id FROM submissions WHERE form = ? AND list IN (
          SELECT list FROM abandoned_lists AS deleted WHERE deleted.form = submissions.form)
        AND id IN (SELECT id FROM ${rows}) ORDER BY list, id`,
      ),
    ]
    const ids = left.map(({ id }) => id)
    for (const { list, id } of left) {
      const row = { form, list, id }
      files.detach(row, id)
      for (const one of [removePieces, removeAbandoned, removeRow]) one.run(row)
    }
    removeWith(form, ids, 'spam')
    deliveries.ofSubmissions(form, ids)
  }
}

const statements = (db: Connection) => ({
  removePieces: db
    .delete(pieces)
    .where(and(inList(pieces), eq(pieces.submission, param('id'))))
    .prepare(),
  removeAbandoned: db
    .delete(abandonedPieces)
    .where(and(inList(abandonedPieces), eq(abandonedPieces.submission, param('id'))))
    .prepare(),
  removeRow: db
    .delete(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare(),
})

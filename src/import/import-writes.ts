import { and, eq } from 'drizzle-orm'
import type { Connection } from '../db/open.ts'
import { abandonedPieces, param, pieces } from '../db/tables.ts'
import { notFound } from '../errors.ts'
import { fieldNameWrites } from '../forms/field-names.ts'
import { formReader } from '../forms/ownership.ts'
import { formTotals } from '../submissions/form-totals.ts'
import { pieceWriter } from '../submissions/pieces.ts'
import { recountAdded } from '../submissions/recount.ts'

/** The submissions are in `staged.rows`, in a file that is attached to the connection. */
export const importWrites = (db: Connection) => {
  const { $client: client } = db
  const totals = formTotals(db)
  const recount = recountAdded(db)
  const { addFieldNames } = fieldNameWrites(db)
  const findForm = formReader(db)
  const writePieces = pieceWriter(db)
  const removeAbandoned = db
    .delete(abandonedPieces)
    .where(and(eq(abandonedPieces.form, param('form')), eq(abandonedPieces.submission, param('id'))))
    .returning({ form: abandonedPieces.form })
    .prepare()
  const removePieces = db
    .delete(pieces)
    .where(and(eq(pieces.form, param('form')), eq(pieces.submission, param('id'))))
    .prepare()

  const addPieces = (form: number, id: string, data: string): void => {
    // The pieces of a deleted submission with this identifier may still have to be removed.
    if (removeAbandoned.get({ form, id })) removePieces.run({ form, id })
    writePieces(form, id, data)
  }

  return {
    /**
     * Imports all of them or none, and returns how many they are. The form must not have any of their identifiers.
     * Imported submissions are not new to the owner, unless an older submission is.
     */
    importStaged({ formId, fieldNames }: { formId: string; fieldNames: readonly string[] }): number {
      const form = findForm(formId)
      if (!form) throw notFound('Form')
      const hadNew = totals.hasNew(form)
      const { changes } = client
        .query(`INSERT INTO submissions (form, id, data)
          SELECT ?, id, iif(is_long, '', data) FROM staged.rows ORDER BY id`)
        .run(form.number)
      const long = client.query<{ id: string; data: string }, []>(
        'SELECT id, data FROM staged.rows WHERE is_long ORDER BY id',
      )
      for (const { id, data } of long.iterate()) addPieces(form.number, id, data)
      const next = client.query<{ id: string }, [string]>(
        'SELECT id FROM staged.rows WHERE id >= ? ORDER BY id LIMIT 1',
      )
      recount(form.number, (from) => next.get(from)?.id)
      totals.import(form.number, changes, !hadNew)
      addFieldNames(form, [{ fieldNames }])
      return changes
    },
  }
}

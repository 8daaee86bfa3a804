import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { param, submissions } from '../db/tables.ts'
import { pieceReader } from './pieces.ts'
import { wholeText } from './whole-text.ts'

/** Reads the JSON text of a submission, however long it is; undefined if it was deleted. */
export const textReader = (db: Db): ((form: number, id: string) => string | undefined) => {
  const readPiece = pieceReader(db)
  const find = db
    .select({ data: submissions.data })
    .from(submissions)
    .where(and(eq(submissions.form, param('form')), eq(submissions.id, param('id'))))
    .prepare()
  return (form, id) => {
    const found = find.get({ form, id })
    return found && wholeText({ readPiece: (of, position) => readPiece(form, of, position) }, [id, found.data])
  }
}

import { and, asc, gt, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { param, submissions } from '../db/tables.ts'
import { afterEveryId, timePrefix } from '../id.ts'
import type { DateRange } from '../submissions/date-range.ts'
import { inList, type List } from '../submissions/lists.ts'
import { pieceBytes, pieceReader } from '../submissions/pieces.ts'

/** The data is JSON text. It is empty for a long submission, whose text `readPieces` returns. */
export type ExportedRow = readonly [id: string, data: string]

export interface ExportedSubmissions {
  /** Oldest first. Each slice is read in a fraction of a millisecond. */
  readonly slices: Generator<readonly ExportedRow[], void>
  /** The JSON text of a long submission in UTF-8, in pieces of 64 KiB. */
  readPieces(id: string): Generator<Buffer, void>
}

const rowsPerSlice = 50

/** All submissions of a list in that range, each once. @param db must be in a transaction, as for `exportParts` */
export const oldestFirst = (db: Db, list: List, range: DateRange): ExportedSubmissions => ({
  slices: readSlices(db, list, range),
  readPieces: piecesOf(db, list),
})

function* readSlices(db: Db, list: List, { start, end }: DateRange): Generator<readonly ExportedRow[], void> {
  const next = db
    .select({ id: submissions.id, data: submissions.data })
    .from(submissions)
    .where(and(inList(submissions), gt(submissions.id, param('after')), lt(submissions.id, param('before'))))
    .orderBy(asc(submissions.id))
    .limit(param('limit'))
    .prepare()
  const before = end === null ? afterEveryId : timePrefix(Math.max(0, end + 1))
  // The first characters of an identifier sort before the whole identifier.
  let after = start === null ? '' : timePrefix(Math.max(0, start))
  for (;;) {
    const rows = next.values({ ...list, after, before, limit: rowsPerSlice }) as unknown as ExportedRow[]
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerSlice) return
    after = (rows.at(-1) as ExportedRow)[0]
  }
}

const piecesOf = (db: Db, list: List): ExportedSubmissions['readPieces'] => {
  const readPiece = pieceReader(db)
  return function* readPieces(id) {
    for (let position = 0; ; position++) {
      const piece = readPiece(list, id, position)
      if (!piece) throw new Error(`submission ${id} lacks a piece`)
      yield piece
      if (piece.length < pieceBytes) return
    }
  }
}

import { and, eq } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { abandonedPieces, param, params, pieces } from '../storage/tables.ts'
import { inList, type List } from './lists.ts'

/** Whether JSON text is stored in pieces. */
export const isLong = (data: string): boolean => data.length > 4096

/** Bytes of each piece. The last piece is always shorter, and may be empty, so a reader recognises it. */
export const pieceBytes = 64 * 1024

/** A submission's JSON text in pieces of UTF-8; null if it is short enough to be stored whole. */
export const toPieces = (data: string): Buffer[] | null => {
  if (!isLong(data)) return null
  const bytes = Buffer.from(data)
  const count = Math.floor(bytes.length / pieceBytes) + 1
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes))
}

/** Reads one piece of a long submission, in UTF-8, counted from 0; undefined if there is none. */
export const pieceReader = (db: Db): ((list: List, id: string, position: number) => Buffer | undefined) => {
  const piece = db
    .select({ bytes: pieces.bytes })
    .from(pieces)
    .where(and(inList(pieces), eq(pieces.submission, param('id')), eq(pieces.position, param('position'))))
    .prepare()
  return (list, id, position) => piece.get({ ...list, id, position })?.bytes
}

/** Stores the pieces of a submission's JSON text, if it is long. */
export const pieceWriter = (db: Db): ((list: List, id: string, data: string) => void) => {
  const insert = db
    .insert(pieces)
    .values({
      ...params('form', 'list', 'position', 'bytes'),
      submission: param('id'),
    })
    .prepare()
  return (list, id, data) => {
    toPieces(data)?.forEach((bytes, position) => {
      insert.run({ ...list, id, position, bytes })
    })
  }
}

/**
 * Removes what may be left of a long submission that was deleted, before one with its identifier comes to its place: it was
 * imported again.
 */
export const abandonedRemoval = (db: Db): ((list: List, id: string) => void) => {
  const removeAbandoned = db
    .delete(abandonedPieces)
    .where(and(inList(abandonedPieces), eq(abandonedPieces.submission, param('id'))))
    .returning({ form: abandonedPieces.form })
    .prepare()
  const removePieces = db
    .delete(pieces)
    .where(and(inList(pieces), eq(pieces.submission, param('id'))))
    .prepare()
  return (list, id) => {
    if (removeAbandoned.get({ ...list, id })) removePieces.run({ ...list, id })
  }
}

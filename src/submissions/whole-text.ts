import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { param, submissions } from '../db/tables.ts'
import { inList, type List } from '../forms/lists.ts'
import { pieceBytes, pieceReader } from './pieces.ts'
import type { FoundSubmissions } from './submission-reads.ts'

/** The JSON text of a submission, however long it is. Of one that was deleted meanwhile, what could still be read. */
export const wholeText = (
  { readPiece }: Pick<FoundSubmissions, 'readPiece'>,
  [id, data]: readonly [id: string, data: string, ...unknown[]],
): string => {
  if (data !== '') return data
  const pieces: Uint8Array[] = []
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (piece) pieces.push(piece)
    if (!piece || piece.length < pieceBytes) return Buffer.concat(pieces).toString()
  }
}

/** Reads the JSON text of a submission, however long it is; undefined if it was deleted. */
export const textReader = (db: Db): ((list: List, id: string) => string | undefined) => {
  const readPiece = pieceReader(db)
  const find = db
    .select({ data: submissions.data })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()
  return (list, id) => {
    const found = find.get({ ...list, id })
    return found && wholeText({ readPiece: (of, position) => readPiece(list, of, position) }, [id, found.data])
  }
}

/** Reads the first 64 KiB of the JSON text of a long submission, for a row of a list. `isWhole` is false if there is more. */
export const firstText = (
  readPiece: FoundSubmissions['readPiece'],
  id: string,
): { readonly text: string; readonly isWhole: boolean } => {
  const piece = readPiece(id, 0)
  // Leaves out a character that was cut.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece, { stream: true })
  return { text, isWhole: piece !== undefined && piece.length < pieceBytes }
}

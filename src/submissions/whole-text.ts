import type { Db } from '../storage/open.ts'
import type { List } from './lists.ts'
import { pieceBytes, pieceReader } from './pieces.ts'
import { type StoredSubmission, storedReads } from './stored-submission.ts'
import type { FoundSubmissions } from './submission-reads.ts'

/** The JSON text of a submission, however long it is. Of one that was deleted meanwhile, what could still be read. */
export const wholeText = (
  { readPiece }: Pick<FoundSubmissions, 'readPiece'>,
  { id, data }: StoredSubmission,
): string => {
  if (data !== '') return data
  const pieces: Uint8Array[] = []
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (piece) pieces.push(piece)
    if (!piece || piece.length < pieceBytes) return Buffer.concat(pieces).toString()
  }
}

/** Reads a submission with its JSON text, however long it is; undefined if it was deleted. */
export const wholeReader = (db: Db): ((list: List, id: string) => StoredSubmission | undefined) => {
  const readPiece = pieceReader(db)
  const { findRow } = storedReads(db)
  return (list, id) => {
    const found = findRow(list, id)
    return found && { ...found, data: wholeText({ readPiece: (of, position) => readPiece(list, of, position) }, found) }
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

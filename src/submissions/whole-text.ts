import { pieceBytes } from './pieces.ts'
import type { FoundSubmissions, StoredSubmission } from './submission-reads.ts'

/** The JSON text of a submission, however long it is. Of one that was deleted meanwhile, what could still be read. */
export const wholeText = ({ readPiece }: Pick<FoundSubmissions, 'readPiece'>, [id, data]: StoredSubmission): string => {
  if (data !== '') return data
  const pieces: Uint8Array[] = []
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (piece) pieces.push(piece)
    if (!piece || piece.length < pieceBytes) return Buffer.concat(pieces).toString()
  }
}

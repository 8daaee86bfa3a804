import { pieceBytes } from '../submissions/pieces.ts'
import { fieldsIn, type SubmittedField } from '../submissions/sent-fields.ts'
import type { FoundSubmissions, StoredSubmission } from '../submissions/submission-reads.ts'
import { wholeText } from '../submissions/whole-text.ts'

/** All fields of one submission, in order. */
export const allFields = (found: FoundSubmissions, submission: StoredSubmission): SubmittedField[] =>
  fieldsIn(wholeText(found, submission))

/**
 * The fields for a row of a list. Of a long submission only the first piece is read, at most 64 KiB. If there is more,
 * `isWhole` is false, and the last field has only the beginning of its value.
 */
export const firstFields = (
  { readPiece }: FoundSubmissions,
  [id, data]: StoredSubmission,
): { readonly fields: SubmittedField[]; readonly isWhole: boolean } => {
  if (data !== '') return { fields: fieldsIn(data), isWhole: true }
  const piece = readPiece(id, 0) ?? new Uint8Array()
  // Leaves out a character that was cut.
  const text = new TextDecoder().decode(piece, { stream: true })
  return { fields: fieldsIn(text), isWhole: piece.length < pieceBytes }
}

import { scanJson } from '../http/json-scan.ts'
import { pieceBytes } from '../submissions/pieces.ts'
import type { FoundSubmissions, StoredSubmission } from '../submissions/store.ts'

/** One field as it was sent. */
export interface SubmittedField {
  readonly name: string
  /** JSON text, so that a long number keeps its digits. */
  readonly json: string
}

/** More than a submission can have. */
const maxMembers = 100_000

/** All fields of one submission, in order. */
export const allFields = (found: FoundSubmissions, submission: StoredSubmission): SubmittedField[] =>
  membersOf(wholeText(found, submission))

/**
 * The fields for a row of a list. Of a long submission only the first piece is read, at most 64 KiB, and `isWhole` is
 * false if there is more.
 */
export const firstFields = (
  { readPiece }: FoundSubmissions,
  [id, data]: StoredSubmission,
): { readonly fields: SubmittedField[]; readonly isWhole: boolean } => {
  if (data !== '') return { fields: membersOf(data), isWhole: true }
  const piece = readPiece(id, 0) ?? new Uint8Array()
  return { fields: membersOf(Buffer.from(piece).toString()), isWhole: piece.length < pieceBytes }
}

const wholeText = ({ readPiece }: FoundSubmissions, [id, data]: StoredSubmission): string => {
  if (data !== '') return data
  const pieces: Uint8Array[] = []
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (piece) pieces.push(piece)
    if (!piece || piece.length < pieceBytes) return Buffer.concat(pieces).toString()
  }
}

/** The members of the outermost object. Leaves out the last one of a text that was cut off. */
const membersOf = (text: string): SubmittedField[] => {
  const { cuts } = scanJson(text, maxMembers)
  const fields: SubmittedField[] = []
  for (let i = 0; i + 2 < cuts.length; i += 2) {
    const [start, colon, end] = cuts.slice(i, i + 3) as [number, number, number]
    fields.push({ name: JSON.parse(text.slice(start + 1, colon)), json: text.slice(colon + 1, end).trim() })
  }
  return fields
}

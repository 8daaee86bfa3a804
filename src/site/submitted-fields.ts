import { fieldsIn, type SubmittedField } from '../submissions/sent-fields.ts'
import type { FoundSubmissions, StoredSubmission } from '../submissions/submission-reads.ts'
import { textWithoutFiles, wholeText } from '../submissions/whole-text.ts'

/** All fields of one submission, in order. */
export const allFields = (found: FoundSubmissions, submission: StoredSubmission): SubmittedField[] =>
  fieldsIn(wholeText(found, submission))

/**
 * The fields for a row of a list, with files that may lack their content. Of a long submission only the beginning is read,
 * as `textWithoutFiles` says. If there is more, `isWhole` is false, and the last field has only the beginning of its value.
 */
export const firstFields = (
  { readPiece }: FoundSubmissions,
  [id, data]: StoredSubmission,
): { readonly fields: SubmittedField[]; readonly isWhole: boolean } => {
  if (data !== '') return { fields: fieldsIn(data), isWhole: true }
  const { text, isWhole } = textWithoutFiles(readPiece, id)
  return { fields: fieldsIn(text), isWhole }
}

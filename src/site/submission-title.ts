import { atMost } from '../short-text.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { cellText } from './sent-value.ts'

/** What a submission is called where it stands alone: the first text in it, which is usually a name. */
export const titleOf = (fields: readonly SubmittedField[]): string => {
  for (const { json } of fields) {
    if (!json.startsWith('"')) continue
    const text = cellText(JSON.parse(json))
    if (text !== '') return atMost(text, 80)
  }
  return 'Submission without text'
}

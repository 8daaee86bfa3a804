import { longDay } from '../html/time.ts'
import { creationTime } from '../id.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { cellText } from './sent-value.ts'

/** What a submission is called where it stands alone: the first text in it, which is usually a name, or its day. */
export const titleOf = (fields: readonly SubmittedField[], id: string): string => {
  for (const { json } of fields) {
    if (!json.startsWith('"')) continue
    const text = cellText(JSON.parse(json))
    if (text !== '') return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text
  }
  return `Submission of ${longDay(creationTime(id))}`
}

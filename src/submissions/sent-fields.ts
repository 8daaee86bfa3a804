import { scanJson } from '../json-scan.ts'

/** One field as it was sent. */
export interface SubmittedField {
  readonly name: string
  /** JSON text, so that a long number keeps its digits. */
  readonly json: string
}

/** More than a submission can have. */
const maxMembers = 100_000

/**
 * The fields of a submission: the members of its JSON object, in order. Leaves out the last one of a text that was cut
 * off.
 */
export const fieldsIn = (text: string): SubmittedField[] => {
  const { cuts } = scanJson(text, maxMembers)
  const fields: SubmittedField[] = []
  for (let i = 0; i + 2 < cuts.length; i += 2) {
    const [start, colon, end] = cuts.slice(i, i + 3) as [number, number, number]
    fields.push({ name: JSON.parse(text.slice(start + 1, colon)), json: text.slice(colon + 1, end).trim() })
  }
  return fields
}

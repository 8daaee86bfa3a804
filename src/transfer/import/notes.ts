import { idAt } from '../../base/id.ts'
import { isCleanText } from '../../base/text-rules.ts'
import { type ImportedNote, maxNotes, noteRule } from '../../submissions/notes.ts'

/** A note in a file. */
export interface SentNote {
  /** Unix milliseconds; undefined if the file does not say when it was written. */
  readonly at: number | undefined
  readonly text: string
}

/**
 * The notes of a cell of our CSV: a line each, as `noteLine` writes it. Earlier versions wrote one text without its time, and
 * so does whoever writes more lines than a submission has notes. A cell may have 16 MB.
 */
export const notesInLines = (cell: string): SentNote[] => {
  const lines = cell
    .split('\n', maxNotes + 1)
    .map((line) => /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:\d\d)) (.*)$/.exec(line))
  if (lines.length > maxNotes || lines.includes(null)) return [{ at: undefined, text: cell }]
  return lines.flatMap((line) => (line ? [{ at: timeIn(line[1]), text: line[2] as string }] : []))
}

/** The notes of a submission in our JSON: a list of objects, or the one text of earlier versions. Empty for anything else. */
export const notesInJson = (json: string): SentNote[] => {
  const found: unknown = json === '' ? null : JSON.parse(json)
  if (typeof found === 'string') return [{ at: undefined, text: found }]
  if (!Array.isArray(found)) return []
  return found.flatMap((note: { text?: unknown; by?: unknown; createdAt?: unknown } | null) => {
    if (typeof note?.text !== 'string') return []
    const by = typeof note.by === 'string' ? `${note.by}: ` : ''
    return [{ at: timeIn(note.createdAt), text: by + note.text }]
  })
}

/**
 * What our export says of a confirmed address, as a note: a file can be edited, so it becomes no record of this server.
 *
 * @param confirmedAt as it is written; empty if no one has confirmed it
 * @param consent the labels of the boxes that were ticked, as a JSON array; empty or null for none
 */
export const confirmedNote = (confirmedAt: string, consent: string): SentNote[] => {
  const labels = labelsIn(consent)
  if (confirmedAt === '' && labels.length === 0) return []
  const ticked = labels.length === 0 ? '' : ` Ticked: ${labels.map((label) => `“${label}”`).join(', ')}.`
  const what = confirmedAt === '' ? 'not confirmed' : `confirmed ${confirmedAt}`
  return [{ at: timeIn(confirmedAt), text: `Address ${what}, says the imported file.${ticked}` }]
}

const labelsIn = (text: string): readonly string[] => {
  if (text === '' || text === 'null') return []
  try {
    const found: unknown = JSON.parse(text)
    if (Array.isArray(found)) return found.filter((label) => typeof label === 'string')
  } catch {}
  // Someone has written it.
  return [text]
}

const timeIn = (text: unknown): number | undefined => {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return time >= 0 && time <= Date.now() ? time : undefined
}

/**
 * The notes as they wait to be imported, as JSON; null if there are none. The author was a user of another server, whose address
 * stays in the text: here no one answers for it.
 *
 * @param sentAt when the submission was sent, in Unix milliseconds
 */
export const stagedNotes = (notes: readonly SentNote[], sentAt: number): string | null => {
  const kept = notes.filter(({ text }) => text.trim() !== '' && isCleanText(text)).slice(0, maxNotes)
  if (kept.length === 0) return null
  const staged = kept.map(({ at, text }, order): ImportedNote => {
    // A character has two code units at most.
    const short = [...text.trim().slice(0, 2 * noteRule.maxLength)].slice(0, noteRule.maxLength).join('')
    return [idAt(at ?? sentAt, order), short]
  })
  return JSON.stringify(staged)
}

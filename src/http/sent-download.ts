import { pieceBytes } from '../submissions/pieces.ts'
import { fieldsIn } from '../submissions/sent-fields.ts'
import type { StoredSubmission } from '../submissions/stored-submission.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import { wholeText } from '../submissions/whole-text.ts'
import { BrokenOff } from './streamed.ts'

interface Download {
  readonly name: string
  readonly parts: Generator<Uint8Array, void>
}

/**
 * Finds the value of a field. It is read and decoded while it is sent, a piece at a time: more is not in memory, however
 * slowly it is read.
 *
 * @param position of the field, from 0
 * @returns undefined if there is none
 */
export const findDownload = (
  found: FoundSubmissions,
  submission: StoredSubmission,
  position: number,
): Download | undefined => {
  const text = wholeText(found, submission)
  const content = valueIn(text, position)
  if (!content) return undefined
  const { name, start, end, decode } = content
  const [first, last] = [Buffer.byteLength(text.slice(0, start)), Buffer.byteLength(text.slice(0, end))]
  return { name, parts: decode(storedBytes(found, submission, first, last)) }
}

interface Content {
  readonly name: string
  /** Positions in the submission's text. */
  readonly start: number
  readonly end: number
  readonly decode: (stored: Iterable<Uint8Array>) => Generator<Uint8Array, void>
}

const valueIn = (text: string, position: number): Content | undefined => {
  const field = fieldsIn(text)[position]
  if (!field) return undefined
  const { start, json } = field
  const name = `${field.name}.txt`
  return json[0] === '"'
    ? { name, ...insideQuotes(field), decode: toText }
    : { name, start, end: start + json.length, decode: asStored }
}

const insideQuotes = ({ start, json }: { start: number; json: string }) => ({
  start: start + 1,
  end: start + json.length - 1,
})

/** Bytes of the submission's JSON text. @throws BrokenOff if the submission has been deleted */
function* storedBytes(
  { readPiece }: FoundSubmissions,
  { id, data }: StoredSubmission,
  start: number,
  end: number,
): Generator<Uint8Array, void> {
  if (data !== '') return yield Buffer.from(data).subarray(start, end)
  for (let position = Math.floor(start / pieceBytes); position * pieceBytes < end; position++) {
    const piece = readPiece(id, position)
    if (!piece) throw new BrokenOff('the submission was deleted while it was being sent')
    const from = position * pieceBytes
    yield piece.subarray(Math.max(0, start - from), end - from)
  }
}

function* asStored(stored: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  yield* stored
}

function* toText(stored: Iterable<Uint8Array>): Generator<Uint8Array, void> {
  for (const text of unescaped(stored)) yield Buffer.from(text)
}

/** The text of a JSON string, whose bytes may be cut anywhere. */
function* unescaped(stored: Iterable<Uint8Array>): Generator<string, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for (const bytes of stored) {
    const text = rest + decoder.decode(bytes, { stream: true })
    const end = endOfEscapes(text)
    yield JSON.parse(`"${text.slice(0, end)}"`)
    rest = text.slice(end)
  }
  yield JSON.parse(`"${rest}"`)
}

/** Where an escape begins that was cut off, or two that stand for one character; otherwise the end. */
const endOfEscapes = (text: string): number => {
  for (let at = text.indexOf('\\'); at !== -1; ) {
    const isHalf = /^\\ud[89ab]/i.test(text.slice(at, at + 4))
    const end = at + (isHalf ? 12 : text[at + 1] === 'u' ? 6 : 2)
    if (end > text.length) return at
    at = text.indexOf('\\', end)
  }
  return text.length
}

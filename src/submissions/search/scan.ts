import { afterEveryId } from '../../base/id.ts'
import type { Db } from '../../storage/open.ts'
import type { List } from '../lists.ts'
import { pieceBytes, pieceReader } from '../pieces.ts'
import { type StoredSubmission, storedReads } from '../stored-submission.ts'

/** Looks for something in submissions. */
export interface Finder<Found> {
  /** Whether JSON text could have it: false only if it has not. Takes a tenth of the time. */
  mayMatch(json: string): boolean
  /** Begins to look through one submission. @param hasStoredFiles known only if the scan is told how, see `filesOf` */
  begin(hasStoredFiles: boolean): Reading<Found>
}

export interface Reading<Found> {
  /** Takes the JSON text, whole or in parts. */
  feed(json: string): void
  /** Whether the rest of the JSON text cannot change the result. */
  isDecided(): boolean
  /** Undefined if it is not there. Call it after the last part, or when it is decided. */
  result(): Found | undefined
}

/** Picks the submissions that may be found out of some, newest first. */
export type PickIds = (ids: readonly string[]) => readonly string[]

interface Scanned {
  readonly list: List
  /** Identifiers: from the first one on, up to the second one without it. */
  readonly from: string
  readonly before: string
  /** Without it, each may be found. */
  readonly pick?: PickIds
  /** Which of some submissions have stored files, for a finder that needs to know. */
  readonly filesOf?: (list: List, ids: readonly string[]) => ReadonlySet<string>
  readonly isOldestFirst?: boolean
}

const none: ReadonlySet<string> = new Set()

const rowsPerRead = 128
/** Characters of JSON text between two looks at the clock. */
const stepCharacters = 8192
/** Characters of a long submission that are looked through in one step. */
const partCharacters = 16 * 1024

/**
 * Looks through the submissions of a list in small steps, the newest first unless `isOldestFirst` is set. Between two steps,
 * anything may be written.
 *
 * @param onRow called with each submission, and what was found in it. Returns true to end the scan
 */
export const submissionScan = (db: Db) => {
  const { newestFirst, oldestFirst } = storedReads(db)
  const readPiece = pieceReader(db)

  return function* scan<Found>(
    { list, from, before, pick = (ids) => ids, filesOf, isOldestFirst = false }: Scanned,
    finder: Finder<Found>,
    onRow: (row: StoredSubmission, found: Found | undefined) => boolean,
  ): Generator<void, void> {
    let characters = 0
    let rest = { from, before }
    for (;;) {
      const rows = (isOldestFirst ? oldestFirst : newestFirst)(list, { ...rest, limit: rowsPerRead })
      const ids = rows.map(({ id }) => id)
      const picked = new Set(pick(isOldestFirst ? ids.reverse() : ids))
      const withFiles = filesOf?.(list, ids) ?? none
      for (const row of rows) {
        const { id, data } = row
        let found: Found | undefined
        const isPicked = picked.has(id)
        const begin = () => finder.begin(withFiles.has(id))
        if (isPicked && data === '') found = yield* inPieces(begin(), (position) => readPiece(list, id, position))
        else if (isPicked && finder.mayMatch(data)) found = inText(begin(), data)
        if (onRow(row, found)) return
        characters += data.length + 100
        if (characters < stepCharacters) continue
        characters = 0
        yield
      }
      const last = rows.at(-1)?.id
      if (last === undefined || rows.length < rowsPerRead) return
      rest = isOldestFirst ? { from: last + afterEveryId, before } : { from, before: last }
    }
  }
}

/** By its whole JSON text. */
export const inText = <Found>(reading: Reading<Found>, json: string): Found | undefined => {
  reading.feed(json)
  return reading.result()
}

/** Searches the text one piece at a time, so that only one is in memory. */
export function* inPieces<Found>(
  reading: Reading<Found>,
  readPiece: (position: number) => Uint8Array | undefined,
): Generator<void, Found | undefined> {
  // Of a piece, leaves out a character that was cut, and begins the next one with it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for (let position = 0; ; position++) {
    const piece = readPiece(position)
    if (!piece) return undefined
    const text = decoder.decode(piece, { stream: true })
    for (let at = 0; at < text.length; at += partCharacters) {
      reading.feed(text.slice(at, at + partCharacters))
      yield
    }
    if (piece.length < pieceBytes || reading.isDecided()) return reading.result()
  }
}

const sliceMilliseconds = 1

/** Takes steps for a slice. Returns the milliseconds that it took; undefined if there is nothing left to do. */
export const runSlice = (steps: Iterator<void, void>): number | undefined => {
  const startedAt = performance.now()
  for (;;) {
    if (steps.next().done) return undefined
    const took = performance.now() - startedAt
    if (took >= sliceMilliseconds) return took
  }
}

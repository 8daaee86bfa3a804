import { and, desc, gte, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import type { Reader } from '../db/reader.ts'
import { param, submissions } from '../db/tables.ts'
import { invalid } from '../errors.ts'
import { inboxOf, inList, type List } from '../forms/lists.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { sha256 } from '../hash.ts'
import { afterEveryId, timePrefix } from '../id.ts'
import type { DateRange } from './date-range.ts'
import { pieceBytes } from './pieces.ts'
import { matchesText, quickCheck, submissionMatch, type Wanted } from './search-match.ts'
import type { SearchTurns } from './search-turns.ts'
import { type SubmissionState, stateReader } from './states.ts'
import { type FoundSubmissions, type StoredSubmission, submissionReads } from './submission-reads.ts'

export interface Search {
  readonly wanted: Wanted
  readonly range: DateRange
  /** Only those of this state; null for all. What is unread is so to the searcher. */
  readonly state: SubmissionState | null
  /** Only those after this identifier; empty for all. */
  readonly newer: string
  /** Found submissions to end after. */
  readonly limit: number
  /** `next` of the search to go on with; null to begin with the newest submission. */
  readonly cursor: string | null
}

interface Searcher {
  readonly userId: string
  /** Whether the client has gone away. */
  readonly signal: AbortSignal
  /** Called between slices. It throws if the client may no longer read. */
  checkAccess(): void
}

export interface SearchResult extends FoundSubmissions {
  /** How many submissions were looked at. */
  readonly searched: number
  /** The identifier of the last one that was looked at; null if there are no more. */
  readonly endedAt: string | null
  /** The cursor to go on with; null if there are no more. */
  readonly next: string | null
}

export type SubmissionSearch = ReturnType<typeof openSubmissionSearch>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly turns: SearchTurns
  readonly maxReadingMilliseconds?: number
  readonly maxMilliseconds?: number
}

const sliceMilliseconds = 0.7

/**
 * Searches that read one submission after the other, in slices between which other requests are served. A search ends after
 * a second of reading, and another one can go on where it ended. If several run, they read in turn.
 */
export const openSubmissionSearch = ({
  reader,
  findForm,
  turns,
  maxReadingMilliseconds = 1000,
  maxMilliseconds = 5000,
}: Options) => {
  const { findOwnForm } = formOwnership(findForm)
  const scan = scanner(reader.db)
  const ofState = stateReader(reader.db)
  const { findRow, pieceReader } = submissionReads(reader.db)

  return {
    /**
     * Ends early, with what was found, when the client goes away.
     *
     * @throws AppError `not_found`, `forbidden`, `invalid` if the cursor is of another search, `rate_limited` while the user
     *   or four others search, and what `checkAccess` throws
     */
    async search({ userId, signal, checkAccess }: Searcher, formId: string, search: Search): Promise<SearchResult> {
      const form = findOwnForm(userId, formId)
      const list = inboxOf(form.number)
      const cursors = cursorsOf(formId, search)
      const { state } = search
      const pick = (ids: readonly string[]) => (state === null ? ids : ofState(form, userId, state, ids))
      const scanned = scan(list, search, cursors.parse(search.cursor), pick)
      const turn = turns.begin(userId)
      try {
        const startedAt = performance.now()
        for (let read = 0; ; await turn.pause()) {
          if (signal.aborted || performance.now() - startedAt > maxMilliseconds) break
          if (read > 0) {
            checkAccess()
            findOwnForm(userId, formId)
          }
          const took = runSlice(scanned.steps)
          if (took === undefined) break
          read += took
          if (read > maxReadingMilliseconds) break
        }
        const { ids, searched, position } = scanned.state
        // Some may have been deleted since they were found.
        const found = ids.map((id) => findRow(list, id)).filter((row) => row !== undefined)
        const next = position && cursors.make(position)
        return { formId, submissions: found, readPiece: pieceReader(list), searched, endedAt: position, next }
      } finally {
        turn.end()
      }
    },
  }
}

/** A cursor is the identifier that a search ended at, and a hash of the search that it belongs to. */
const cursorsOf = (formId: string, { wanted, range, state }: Search) => {
  const hash = sha256(JSON.stringify([formId, wanted, range, state]), 'base64url').slice(0, 16)
  return {
    make: (id: string): string => `${hash}${id}`,
    parse(cursor: string | null): string | null {
      if (cursor === null) return null
      const id = cursor.slice(hash.length)
      if (cursor.startsWith(hash) && /^[0-9a-z~]{1,28}$/.test(id)) return id
      throw invalid({ field: 'cursor', message: 'must be `next` of an answer to the same query' })
    },
  }
}

/** Returns the milliseconds that it took; undefined if there is nothing left to do. */
const runSlice = (steps: Iterator<void, void>): number | undefined => {
  const startedAt = performance.now()
  for (;;) {
    if (steps.next().done) return undefined
    const took = performance.now() - startedAt
    if (took >= sliceMilliseconds) return took
  }
}

const rowsPerRead = 128
/** Characters of JSON text between two looks at the clock. */
const stepCharacters = 8192

interface ScanState {
  readonly ids: string[]
  searched: number
  /** See `endedAt`. */
  position: string | null
}

/** Picks the submissions that may be found out of some, newest first. */
type Pick = (ids: readonly string[]) => readonly string[]

/** Searches in small steps. */
const scanner = (db: Db) => {
  const page = db
    .select({ id: submissions.id, data: submissions.data })
    .from(submissions)
    .where(and(inList(submissions), gte(submissions.id, param('from')), lt(submissions.id, param('before'))))
    .orderBy(desc(submissions.id))
    .limit(rowsPerRead)
    .prepare()
  const { pieceReader } = submissionReads(db)

  return (list: List, { wanted, range, newer, limit }: Search, after: string | null, pick: Pick) => {
    const mayMatch = quickCheck(wanted)
    const readPiece = pieceReader(list)
    const start = range.start === null ? '' : timePrefix(Math.max(0, range.start))
    const from = newer === '' || newer < start ? start : `${newer}~`
    const end = range.end === null ? afterEveryId : timePrefix(Math.max(0, range.end + 1))
    const state: ScanState = { ids: [], searched: 0, position: after !== null && after < end ? after : end }

    function* steps(): Generator<void, void> {
      let characters = 0
      while (state.position !== null) {
        const rows = page.values({ ...list, from, before: state.position }) as unknown as StoredSubmission[]
        const picked = new Set(pick(rows.map(([id]) => id)))
        for (const [id, data] of rows) {
          if (picked.has(id)) {
            const isFound =
              data === '' ? yield* inPieces(wanted, id, readPiece) : mayMatch(data) && matchesText(wanted, data)
            if (isFound) state.ids.push(id)
          }
          state.position = id
          state.searched++
          if (state.ids.length === limit) return
          characters += data.length + 100
          if (characters < stepCharacters) continue
          characters = 0
          yield
        }
        if (rows.length < rowsPerRead) state.position = null
      }
    }
    return { state, steps: steps() }
  }
}

/** Characters of a piece that are looked through in one step. */
const partCharacters = 16 * 1024

/** Whether a long submission has what is wanted. Of its text, one piece is in memory. */
function* inPieces(wanted: Wanted, id: string, readPiece: FoundSubmissions['readPiece']): Generator<void, boolean> {
  const match = submissionMatch(wanted)
  // Of a piece, leaves out a character that was cut, and begins the next one with it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (!piece) return false
    const text = decoder.decode(piece, { stream: true })
    for (let at = 0; at < text.length; at += partCharacters) {
      match.feed(text.slice(at, at + partCharacters))
      yield
    }
    if (piece.length < pieceBytes || match.isDecided()) return match.isMatch()
  }
}

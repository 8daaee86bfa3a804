import { invalid } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { afterEveryId } from '../../base/id.ts'
import type { FormAccess } from '../../forms/access.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { bounds, type DateRange } from '../date-range.ts'
import { submissionsWithFiles } from '../files/file-reads.ts'
import { type List, type ListName, listOf } from '../lists.ts'
import { noteReads } from '../notes.ts'
import { type FoundSubmissions, submissionReads } from '../submission-reads.ts'
import { type Filter, filterPicks } from './filter.ts'
import { finderOf } from './match.ts'
import { type PickIds, runSlice, submissionScan } from './scan.ts'
import { type Patience, type SearchTurns, searchTime } from './turns.ts'

export interface Search {
  readonly list: ListName
  readonly filter: Filter
  readonly range: DateRange
  /** Only those after this identifier; empty for all. */
  readonly newer: string
  /** Found submissions to end after. */
  readonly limit: number
  /** `next` of the search to go on with; null to begin with the newest submission. */
  readonly cursor: string | null
}

export interface Searcher {
  readonly userId: string
  /** Identifiers of the forms that a key is limited to; null for all. Who reads several forms keeps to these. */
  readonly forms: ReadonlySet<string> | null
  /** Whether the client has gone away. */
  readonly signal: AbortSignal
  /** Called between slices. It throws if the client may no longer read. */
  checkAccess(): void
  /** Absent if it does not wait for its turn. */
  readonly patience?: Patience
}

export interface SearchResult extends FoundSubmissions {
  /** How many submissions were looked at. */
  readonly searched: number
  /** The identifier of the last one that was looked at; null if there are no more. */
  readonly endedAt: string | null
  /** The cursor to go on with; null if there are no more. */
  readonly next: string | null
}

interface Options {
  readonly reader: Reader
  readonly access: FormAccess
  readonly turns: SearchTurns
  readonly maxReadingMilliseconds?: number
}

/**
 * Searches that read one submission after the other, in slices between which other requests are served. A search ends after
 * a second of reading, and another one can go on where it ended. If several run, they read in turn.
 */
export const openSubmissionSearch = ({
  reader,
  access: { findFormTo },
  turns,
  maxReadingMilliseconds = searchTime.maxReadingMilliseconds,
}: Options) => {
  const scan = scanner(reader.db)
  const picks = filterPicks(reader.db)
  const { findRow, pieceReader } = submissionReads(reader.db)
  const { countNotes } = noteReads(reader.db)

  return {
    /**
     * Ends early, with what was found, when the client goes away.
     *
     * @throws AppError `not_found`, `forbidden`, `invalid` if the cursor is of another search, `rate_limited` while the user
     *   or four others search, and what `checkAccess` throws
     */
    async search(searcher: Searcher, formId: string, search: Search): Promise<SearchResult> {
      const { userId, signal, checkAccess, patience } = searcher
      const findList = () => listOf(findFormTo('read', userId, formId), search.list)
      const form = findFormTo('read', userId, formId)
      const list = findList()
      const cursors = cursorsOf(formId, search)
      const found = scan(list, search, cursors.parse(search.cursor), picks(form, userId, search.filter))
      const turn = patience ? await turns.waitFor(userId, patience) : turns.begin(userId)
      try {
        const startedAt = performance.now()
        for (let read = 0; ; await turn.pause()) {
          if (signal.aborted || performance.now() - startedAt > searchTime.maxMilliseconds) break
          if (read > 0 || patience) {
            checkAccess()
            // All of the spam may have been deleted.
            if (findList().list !== list.list) break
          }
          const took = runSlice(found.steps)
          if (took === undefined) break
          read += took
          if (read > maxReadingMilliseconds) break
        }
        const { ids, searched, position } = found.state
        // Some may have been deleted since they were found.
        const rows = (findList().list === list.list ? ids : [])
          .map((id) => findRow(list, id))
          .filter((row) => row !== undefined)
        const next = position && cursors.make(position)
        const noteCounts = search.list === 'inbox' ? { noteCounts: countNotes({ number: list.form }, ids) } : {}
        return {
          formId,
          submissions: rows,
          ...noteCounts,
          readPiece: pieceReader(list),
          searched,
          endedAt: position,
          next,
        }
      } finally {
        turn.end()
      }
    },
  }
}

/** A cursor is the identifier that a search ended at, and a hash of the search that it belongs to. */
const cursorsOf = (formId: string, { list, filter, range }: Search) => {
  const hash = sha256(JSON.stringify([formId, list, filter, range]), 'base64url').slice(0, 16)
  return {
    make: (id: string): string => `${hash}${id}`,
    parse(cursor: string | null): string | null {
      if (cursor === null) return null
      const id = cursor.slice(hash.length)
      if (cursor.startsWith(hash) && /^[0-9a-z~]{1,28}$/.test(id)) return id
      throw invalid({ field: 'cursor', message: 'must be the `next` of a response to the same query' })
    },
  }
}

interface ScanState {
  readonly ids: string[]
  searched: number
  /** See `endedAt`. */
  position: string | null
}

const scanner = (db: Db) => {
  const scan = submissionScan(db)
  const filesOf = submissionsWithFiles(db)

  return (list: List, { filter, range, newer, limit }: Search, after: string | null, pick: PickIds) => {
    const ends = bounds(range)
    const from = newer === '' || newer < ends.from ? ends.from : newer + afterEveryId
    const before = after !== null && after < ends.before ? after : ends.before
    const state: ScanState = { ids: [], searched: 0, position: before }

    function* steps(): Generator<void, void> {
      const finder = finderOf(filter)
      yield* scan(
        { list, from, before, pick, ...(filter.hasFiles !== null && { filesOf }) },
        finder,
        ({ id }, isFound) => {
          if (isFound) state.ids.push(id)
          state.position = id
          state.searched++
          return state.ids.length === limit
        },
      )
      if (state.ids.length < limit) state.position = null
    }
    return { state, steps: steps() }
  }
}

import type { Db } from '../../storage/open.ts'
import { submissionsWithFiles } from '../files/file-reads.ts'
import { inboxOf } from '../lists.ts'
import { pieceReader } from '../pieces.ts'
import { finderOf, type Wanted } from '../search/match.ts'
import { inPieces, inText, runSlice } from '../search/scan.ts'
import type { Searcher } from '../search/search.ts'
import { type SearchTurns, searchTime } from '../search/turns.ts'
import type { Looked, Place, Step } from './merge.ts'

interface Options {
  readonly db: Db
  readonly turns: SearchTurns
  readonly maxReadingMilliseconds: number
}

interface Search {
  readonly wanted: Wanted
  readonly limit: number
}

/** Characters of JSON text between two looks at the clock. */
const stepCharacters = 8192

/** A search in the submissions of many forms, with the turns and the time of one in a single form. */
export const inboxSearch = ({ db, turns, maxReadingMilliseconds }: Options) => {
  const readPiece = pieceReader(db)
  const filesOf = submissionsWithFiles(db)

  const start = (merged: Iterable<Step>, { wanted, limit }: Search) => {
    const state = { places: [] as Place[], searched: 0, ended: null as Place | null }
    const finder = finderOf(wanted)
    function* isFound({ id, form, data, isWanted }: Step): Generator<void, boolean> {
      if (!isWanted || (data !== '' && !finder.mayMatch(data))) return false
      const list = inboxOf(form.number)
      const reading = finder.begin(wanted.hasFiles !== null && filesOf(list, [id]).size > 0)
      if (data !== '') return inText(reading, data) !== undefined
      return (yield* inPieces(reading, (position) => readPiece(list, id, position))) !== undefined
    }

    function* steps(): Generator<void, void> {
      let characters = 0
      for (const step of merged) {
        const place = { id: step.id, formId: step.form.id }
        if (yield* isFound(step)) state.places.push(place)
        state.ended = place
        state.searched++
        if (state.places.length === limit) return
        characters += step.data.length + 100
        if (characters < stepCharacters) continue
        characters = 0
        yield
      }
      state.ended = null
    }
    return { state, steps: steps() }
  }

  /**
   * Ends early, with what was found, when the client goes away.
   *
   * @throws AppError `rate_limited` while the user or four others search, and what `checkAccess` throws
   */
  return async ({ userId, signal, checkAccess }: Searcher, merged: Iterable<Step>, search: Search): Promise<Looked> => {
    const { state, steps } = start(merged, search)
    const turn = turns.begin(userId)
    try {
      const startedAt = performance.now()
      for (let read = 0; ; await turn.pause()) {
        if (signal.aborted || performance.now() - startedAt > searchTime.maxMilliseconds) break
        if (read > 0) checkAccess()
        const took = runSlice(steps)
        if (took === undefined) break
        read += took
        if (read > maxReadingMilliseconds) break
      }
      return state
    } finally {
      turn.end()
    }
  }
}

import type { FormAccess } from '../../forms/access.ts'
import type { Reader } from '../../storage/reader.ts'
import { filterPicks } from '../search/filter.ts'
import { runSlice } from '../search/scan.ts'
import type { Searcher } from '../search/search.ts'
import { type Patience, type SearchTurns, searchTime } from '../search/turns.ts'
import { type AnswersQuery, answerCounter, describedFields } from './count-answers.ts'
import { answersCursors } from './cursor.ts'
import type { FieldAnswers } from './field-answers.ts'

export interface Answers {
  /** Submissions that matched, of those that were looked at. */
  readonly total: number
  readonly searched: number
  readonly fields: readonly FieldAnswers[]
}

/** What was counted of the whole form so far. */
export interface Counted extends Answers {
  /** Identifiers of the newest and of the oldest submission that matched; null if none did. */
  readonly newest: string | null
  readonly oldest: string | null
  readonly isDone: boolean
}

export type AnswersStore = ReturnType<typeof openAnswers>

interface Options {
  readonly reader: Reader
  readonly access: FormAccess
  readonly turns: SearchTurns
  readonly maxReadingMilliseconds?: number
}

/** Adds up what people answered. It reads as a search does, with its limits and in its turns. */
export const openAnswers = ({
  reader,
  access: { findFormTo },
  turns,
  maxReadingMilliseconds = searchTime.maxReadingMilliseconds,
}: Options) => {
  const count = answerCounter(reader.db)
  const picks = filterPicks(reader.db)

  /** Reads for as long as a search may. */
  const readOn = async (
    { userId, signal, checkAccess, patience }: Searcher,
    formId: string,
    { steps, soFar }: ReturnType<typeof count>,
  ): Promise<void> => {
    const turn = patience ? await turns.waitFor(userId, patience) : turns.begin(userId)
    try {
      const startedAt = performance.now()
      const { searched } = soFar()
      for (let read = 0; ; await turn.pause()) {
        if (signal.aborted || performance.now() - startedAt > searchTime.maxMilliseconds) return
        if (read > 0 || patience) {
          checkAccess()
          findFormTo('read', userId, formId)
        }
        const took = runSlice(steps)
        if (took === undefined) return
        read += took
        // The names of a form without fields are needed first.
        if (read > maxReadingMilliseconds && soFar().searched > searched) return
      }
    } finally {
      turn.end()
    }
  }

  return {
    /**
     * @param cursor `next` of the page before; null to begin
     * @throws AppErrors as a search does
     */
    async read(
      searcher: Searcher,
      formId: string,
      query: AnswersQuery & { readonly cursor: string | null },
    ): Promise<Answers & { readonly next: string | null }> {
      const form = findFormTo('read', searcher.userId, formId)
      const cursors = answersCursors(formId, describedFields(form), query)
      const pick = picks(form, searcher.userId, query.filter)
      const counting = count(form, query, pick, cursors.parse(query.cursor))
      await readOn(searcher, formId, counting)
      const { total, searched, fields, next } = counting.soFar()
      return { total, searched, next: next && cursors.make(next), fields }
    },

    /** Counts in memory, one reading after the other. */
    begin(searcher: Searcher, formId: string, query: AnswersQuery) {
      const form = findFormTo('read', searcher.userId, formId)
      const counting = count(form, query, picks(form, searcher.userId, query.filter))
      return {
        /**
         * Reads for as long as a search may, once it has its turn. Returns all that was counted so far. Others may search
         * before it is called again.
         *
         * @throws AppErrors as a search does; after `rate_limited` it can be called again
         */
        async readOn(patience: Patience): Promise<Counted> {
          await readOn({ ...searcher, patience }, formId, counting)
          const { next, ...counted } = counting.soFar()
          return { ...counted, isDone: next === null }
        },
      }
    },
  }
}

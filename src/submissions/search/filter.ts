import type { FormTo } from '../../forms/access.ts'
import type { Db } from '../../storage/open.ts'
import { handlingReads } from '../handling.ts'
import { spamReasonReads } from '../spam/reason-reads.ts'
import type { SubmissionState } from '../states.ts'
import type { Reason } from '../stored-submission.ts'
import { unreadReads } from '../unread.ts'
import type { PickIds } from './scan.ts'
import { parseQuery, type Term } from './terms.ts'

/** Which submissions of a list a search finds, or an export has: those that meet every member. */
export interface Filter {
  readonly terms: readonly Term[]
  /** Null if it does not matter. */
  readonly hasFiles: boolean | null
  /** Null for all, and for spam. What is unread is so to the one who asks. */
  readonly state: SubmissionState | null
  /** Why it is spam; null for all, and for what is no spam. */
  readonly reason: Reason | null
}

/** A filter as the query of the API or of a page has it. What is absent or empty does not matter. */
export interface GivenFilter {
  readonly q?: string | undefined
  readonly hasFiles?: '' | 'true' | 'false' | undefined
  readonly state?: '' | SubmissionState | undefined
  readonly reason?: '' | Reason | undefined
}

export const toFilter = ({ q = '', hasFiles, state, reason }: GivenFilter): Filter => ({
  terms: parseQuery(q),
  hasFiles: hasFiles ? hasFiles === 'true' : null,
  state: state || null,
  reason: reason || null,
})

/** What leaves nothing out. */
const noFilter = { q: '', hasFiles: '', state: '', reason: '' } as const satisfies Required<GivenFilter>
const names = Object.keys(noFilter) as (keyof GivenFilter)[]

/** Whether the filter may leave anything out. */
export const isAnythingAsked = (given: GivenFilter): boolean => names.some((name) => given[name])

/**
 * Picks by what is not in what was sent, out of many submissions at once, newest first. It takes as long as it takes to read the
 * rows of those between the first and the last one. The rest is compared in `match.ts`.
 */
export const filterPicks = (db: Db) => {
  const { unreadAmong } = unreadReads(db)
  const { statesAmong } = handlingReads(db)
  const { isHeldFor } = spamReasonReads(db)
  return (form: FormTo<'read'>, userId: string, { state, reason }: Pick<Filter, 'state' | 'reason'>): PickIds => {
    if (reason !== null) return (ids) => ids.filter((id) => isHeldFor(form, reason, id))
    if (state === null) return (ids) => ids
    if (state === 'unread') return (ids) => [...unreadAmong(form, userId, ids)]
    return (ids) => {
      const states = statesAmong(form, ids)
      return ids.filter((id) => (states.get(id) ?? 'open') === state)
    }
  }
}

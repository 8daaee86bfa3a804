import { type AppError, expecting, issueLine } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import type { DateRange } from '../submissions/date-range.ts'
import type { ListName } from '../submissions/lists.ts'
import type { SearchResult } from '../submissions/search/search.ts'
import type { Term } from '../submissions/search/terms.ts'
import { searcherOf } from './browser-sessions.ts'
import { filterOf, isSearch, type ListQuery } from './list-query.ts'
import type { PageOptions } from './page-options.ts'
import type { FormParams, UserVisit } from './visit.ts'

/** A search above the list of submissions, and what it found. */
export interface Searched {
  readonly state: 'found'
  readonly terms: readonly Term[]
  readonly result: SearchResult
}

/** Why a list cannot be shown as asked, and the status of the page that says so. */
export interface RefusedSearch {
  readonly state: 'refused'
  readonly problem: string
  readonly status: number
}

/** Found submissions on a page: as many as can be selected. */
const maxFound = 100
/** Someone who changes the words while a search is under way ends it, but not at once. */
const waitMilliseconds = 500

/** Searches if the list is asked for something. */
export const searchFor = async (
  { searches, sessions }: Pick<PageOptions, 'searches' | 'sessions'>,
  list: ListName,
  { session, request, params, query }: UserVisit<FormParams>,
  listQuery: ListQuery,
  range: DateRange,
): Promise<Searched | RefusedSearch | undefined> => {
  if (!isSearch(listQuery)) return undefined
  const until = AbortSignal.any([request.signal, AbortSignal.timeout(waitMilliseconds)])
  const searcher = { ...searcherOf(sessions, { session, request }), patience: { until } }
  const search = async (): Promise<Searched> => {
    const filter = filterOf(listQuery)
    const result = await searches.search(searcher, params.formId, {
      list,
      filter,
      range,
      // Of a page that is open already.
      newer: isId(query.newer) ? query.newer : '',
      limit: maxFound,
      cursor: listQuery.cursor || null,
    })
    return { state: 'found', terms: filter.terms, result }
  }
  const searched = await expecting(['rate_limited', 'invalid'], search)
  return searched.state === 'done' ? searched.value : { state: 'refused', ...whyNotSearched(searched) }
}

export const whyNotSearched = ({ state, error }: { state: 'rate_limited' | 'invalid'; error: AppError }) =>
  state === 'rate_limited'
    ? { problem: 'Another search is still under way. Please try again in a moment.', status: 429 }
    : { problem: `${error.issues.map(issueLine).join('; ')}.`, status: 400 }

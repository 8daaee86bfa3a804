import { isId } from '../base/id.ts'
import { searcherOf } from './browser-sessions.ts'
import { filterOf, rangeOf, toListQuery } from './list-query.ts'
import type { PageOptions } from './page-options.ts'
import { selectedIds } from './selected-submissions.ts'
import type { FormParams, UserSent } from './visit.ts'

/** The submissions that something is to be done with. */
export interface Chosen {
  readonly ids: readonly string[]
  /** Whether more match than one request changes. */
  readonly hasMore: boolean
}

/** Submissions that one request changes: a second or two. */
const mostAtOnce = 1000
const slice = 100

/** Whether all that match the filter of the list are selected, not only those that are ticked. */
export const isEverything = (sent: URLSearchParams): boolean => sent.get('all') === 'true'

/**
 * The returned function reads which submissions were selected: those that are ticked, or all that match the filter and are not
 * newer than the list was. It reads them as a search does.
 */
export const chosenReader =
  ({ searches, sessions }: PageOptions) =>
  async ({ session, request, params, form: sent }: UserSent<FormParams>): Promise<Chosen> => {
    if (!isEverything(sent)) return { ids: selectedIds(sent), hasMore: false }
    const listQuery = toListQuery(Object.fromEntries(sent))
    const upTo = sent.get('upTo')
    const searcher = searcherOf(sessions, { session, request })
    const what = {
      list: 'inbox',
      filter: filterOf(listQuery),
      range: rangeOf(listQuery),
      newer: '',
      limit: slice,
    } as const
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const { submissions, next } = await searches.search(searcher, params.formId, { ...what, cursor })
      for (const { id } of submissions) if (!isId(upTo) || id <= upTo) ids.push(id)
      cursor = next
      if (request.signal.aborted) return { ids: [], hasMore: false }
    } while (cursor !== null && ids.length < mostAtOnce)
    return { ids, hasMore: cursor !== null }
  }

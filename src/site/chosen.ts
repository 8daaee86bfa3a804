import type { InboxStore } from '../submissions/inbox/inbox.ts'
import type { Place } from '../submissions/inbox/merge.ts'
import { type Chosen, matchingSlice, readMatching } from '../submissions/search/matching.ts'
import { type BrowserSessions, searcherOf } from './browser-sessions.ts'
import { type Asked, toInboxQuery } from './inbox-query.ts'
import { fromRowId } from './inbox-rows.ts'
import { filterOf, rangeOf, toListQuery } from './list-query.ts'
import type { PageOptions } from './page-options.ts'
import { selectedIds } from './selected-submissions.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** Whether all that match the filter of the list are selected, not only those that are ticked. */
export const isEverything = (sent: URLSearchParams): boolean => sent.get('all') === 'true'

/** Those that are ticked in the inbox. @throws AppError `invalid` if they are more than a page shows */
export const tickedIn = (sent: URLSearchParams): readonly Place[] =>
  selectedIds(sent).flatMap((row) => fromRowId(row) ?? [])

/** The returned function reads all that match a filter of the inbox. */
export const matchingReader =
  ({ inbox, sessions }: { inbox: Pick<InboxStore, 'read'>; sessions: Pick<BrowserSessions, 'isLive'> }) =>
  (visit: Pick<UserVisit, 'session' | 'request'>, asked: Asked, upTo?: string | null): Promise<Chosen<Place>> => {
    const searcher = searcherOf(sessions, visit)
    const query = toInboxQuery(asked, { limit: matchingSlice, newer: '' })
    return readMatching(searcher, upTo, async (cursor) => {
      const { submissions, next } = await inbox.read(searcher, { ...query, cursor })
      return { part: submissions.map(({ form, submission }) => ({ id: submission.id, formId: form.id })), next }
    })
  }

/** The returned function reads which submissions were selected in the list of a form. */
export const chosenReader =
  ({ searches, sessions }: PageOptions) =>
  async (visit: UserSent<FormParams>): Promise<Chosen<string>> => {
    const { params, form: sent } = visit
    if (!isEverything(sent)) return { chosen: selectedIds(sent), hasMore: false }
    const listQuery = toListQuery(Object.fromEntries(sent))
    const what = {
      list: 'inbox',
      filter: filterOf(listQuery),
      range: rangeOf(listQuery),
      newer: '',
      limit: matchingSlice,
    } as const
    const searcher = searcherOf(sessions, visit)
    const { chosen, hasMore } = await readMatching(searcher, sent.get('upTo'), async (cursor) => {
      const { submissions, next } = await searches.search(searcher, params.formId, { ...what, cursor })
      return { part: submissions, next }
    })
    return { chosen: chosen.map(({ id }) => id), hasMore }
  }

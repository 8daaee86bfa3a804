import { invalid } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import type { InboxStore } from '../submissions/inbox/inbox.ts'
import type { Place } from '../submissions/inbox/merge.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { searcherOf } from './browser-sessions.ts'
import { type Asked, toInboxQuery } from './inbox-query.ts'
import { fromRowId } from './inbox-rows.ts'
import type { UserVisit } from './visit.ts'

/** The submissions that something is to be done with. */
export interface Chosen {
  readonly places: readonly Place[]
  /** Whether more match than one request changes. */
  readonly hasMore: boolean
}

/** More than any page shows. */
export const maxTicked = 100
/** Submissions that one request changes: a second or two. */
const mostAtOnce = 1000
const slice = 100

/** The returned function reads all that match a filter, in slices, and are not newer than the list was. */
export const matchingReader =
  ({ inbox, sessions }: { inbox: Pick<InboxStore, 'read'>; sessions: Pick<BrowserSessions, 'isLive'> }) =>
  async ({ session, request }: Pick<UserVisit, 'session' | 'request'>, asked: Asked, upTo?: string | null) => {
    const asker = searcherOf(sessions, { session, request })
    const query = { ...toInboxQuery(asked, { limit: slice, newer: '' }), cursor: null as string | null }
    const places: Place[] = []
    do {
      const part = await inbox.read(asker, query)
      for (const { form, submission } of part.submissions)
        if (!isId(upTo) || submission.id <= upTo) places.push({ id: submission.id, formId: form.id })
      query.cursor = part.next
      // A part without words is read at once: others come first, and someone who has left wants nothing any more.
      await Bun.sleep(0)
      if (request.signal.aborted) return { places: [], hasMore: false }
      asker.checkAccess()
    } while (query.cursor !== null && places.length < mostAtOnce)
    return { places, hasMore: query.cursor !== null } satisfies Chosen
  }

/** Those that are ticked. @throws AppError `invalid` if they are more than a page shows */
export const tickedIn = (sent: URLSearchParams): readonly Place[] => {
  const rows = [...new Set(sent.getAll('ids'))]
  if (rows.length > maxTicked) throw invalid({ field: 'ids', message: `must name at most ${maxTicked} submissions` })
  return rows.flatMap((row) => fromRowId(row) ?? [])
}

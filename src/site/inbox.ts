import { expecting } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { homePath, inboxEventsPath } from '../config/addresses.ts'
import { defineCookie } from '../http/cookies.ts'
import type { InboxPart } from '../submissions/inbox/inbox.ts'
import { searcherOf } from './browser-sessions.ts'
import { inboxNotice } from './inbox-notice.ts'
import { inboxPage, mostFound, rowsPerPage } from './inbox-page.ts'
import { type Asked, isSearching, keptShape, toAsked, toInboxQuery, toKept, toWhich } from './inbox-query.ts'
import { inboxRows } from './inbox-rows.ts'
import { queryString, wholeList } from './list-query.ts'
import { firstFormPage, guestPage, mayOwnForms } from './new-form.ts'
import type { PageOptions } from './page-options.ts'
import { whyNotSearched } from './search-part.ts'
import type { UserVisit } from './visit.ts'

/** `/`: the submissions of all forms, or the way to a first form. */
export const inboxRoutes = (options: PageOptions) => {
  const { pages, config, access, formLists, inbox, userReads, formLimits, sessions, streams, now } = options
  const toRows = inboxRows(options)
  const mayOwn = mayOwnForms(userReads)
  const filter = defineCookie({
    name: 'formbox_inbox',
    shape: keptShape,
    lifetimeSeconds: 365 * 86_400,
    publicUrl: config.publicUrl,
  })

  /** What the address asks for, or what was asked for last: unless that is a form which the user may no longer read. */
  const askedIn = ({ request, query, session }: UserVisit): Asked => {
    const asked = toAsked(query, filter.read(request))
    const isKept = query.form !== asked.form && asked.form !== ''
    return isKept && access.findReadable(session.userId, [asked.form]).length === 0 ? { ...asked, form: '' } : asked
  }

  const read = async ({ session, request, query }: UserVisit, asked: Asked): Promise<Read> => {
    const isSearch = isSearching(asked)
    const found = await expecting(['invalid', 'rate_limited'], async () =>
      inbox.read(searcherOf(sessions, { session, request }), {
        ...toInboxQuery(asked, {
          limit: isSearch ? mostFound : rowsPerPage,
          // Of a search on a page that is open already.
          newer: isSearch && isId(query.newer) ? query.newer : '',
        }),
        // All that it finds, of whatever state: the segments count them.
        ...(isSearch && { state: null, isUnread: false }),
      }),
    )
    if (found.state === 'done') return { part: found.value, problem: undefined, status: 200 }
    return { part: nothing, ...whyNotSearched(found) }
  }

  const on = {
    async show(visit: UserVisit): Promise<Response> {
      const { session, request, query } = visit
      const { userId, email } = session
      const user = userReads.findUserById(userId)
      if (!user?.formCount && !formLists.hasShared(userId))
        return mayOwn(userId) ? firstFormPage({ email, canMail: formLimits.canMail }) : guestPage(200, email)
      const asked = askedIn(visit)
      const { part, ...outcome } = await read(visit, asked)
      const isSearch = isSearching(asked)
      const select = query.select === 'page' || query.select === 'all' ? query.select : undefined
      const terms = isSearch && !outcome.problem ? toInboxQuery(asked, { limit: 1, newer: '' }).wanted.terms : []
      const counts = inbox.count(userId, toWhich(asked))
      const form = access.findReadable(userId, asked.form === '' ? [] : [asked.form])[0]
      const found = await toRows({
        userId,
        submissions: part.submissions,
        terms,
        isTicked: select !== undefined,
        isOfForms: !form,
        query: queryString({ ...wholeList, state: asked.unread === 'true' ? 'unread' : asked.state, from: 'inbox' }),
      })
      const response = inboxPage({
        ...outcome,
        asked,
        email,
        counts,
        unreadCount: inbox.count(userId).unread,
        found,
        part,
        isSearch,
        select,
        form,
        forms: inbox.findLatest(userId),
        mayEdit: part.submissions.some((one) => access.mayDo(userId, one.form, 'edit')),
        state: inbox.stateOf(userId),
        newest: inbox.newestOf(userId),
        done: inboxNotice(query, asked, (id) => access.findReadable(userId, [id])[0]?.title),
        now: now(),
      })
      const kept = toKept(asked)
      if (!isSearch && outcome.status === 200 && kept !== (filter.read(request) ?? 'open'))
        response.headers.append('set-cookie', filter.set(request, kept))
      return response
    },

    watch: ({ exchange, session }: UserVisit): Response =>
      streams.open(exchange, {
        owner: session.userId,
        look: () => (sessions.isLive(session) ? inbox.stateOf(session.userId) : null),
      }),
  }

  return [pages.userPage(homePath, on.show), pages.userPage(inboxEventsPath, on.watch)]
}

interface Read {
  readonly part: InboxPart
  /** Why nothing is shown. */
  readonly problem: string | undefined
  readonly status: number
}

const nothing: InboxPart = { submissions: [], searched: 0, endedAt: null, next: null, forms: undefined }

import { inboxExportPath } from '../config/addresses.ts'
import { exportedFile } from '../http/attachment.ts'
import { streamed } from '../http/streamed.ts'
import type { Place } from '../submissions/inbox/merge.ts'
import { isOfContent } from '../submissions/search/match.ts'
import { type InboxFormat, type InboxOf, inboxFormats } from '../transfer/export/inbox.ts'
import { type Chosen, matchingReader } from './chosen.ts'
import { type Asked, toAsked, toInboxQuery } from './inbox-query.ts'
import type { PageOptions } from './page-options.ts'
import type { UserVisit } from './visit.ts'

type Asker = Pick<UserVisit, 'exchange' | 'request' | 'session'>

export const formatIn = (name: unknown): InboxFormat | undefined => inboxFormats.find((one) => one === name)

/** How often it is asked whether the user may still read all forms of a file. */
const recheckMilliseconds = 1000

/** Sends submissions of several forms as one file. */
export const inboxExporter = ({ access, inbox, exports, sessions, report }: PageOptions) => {
  const matching = matchingReader({ inbox, sessions })

  const send = ({ exchange, session }: Asker, format: InboxFormat, formIds: readonly string[], of: InboxOf) => {
    let [askedAt, mayStill] = [performance.now(), true]
    const mayRead = (): boolean => {
      if (performance.now() - askedAt < recheckMilliseconds) return mayStill
      askedAt = performance.now()
      mayStill = !formIds.some((id) => access.isShutOut(session.userId, id))
      return mayStill
    }
    const file = exports.exportInbox(session.userId, { format, formIds, of }, mayRead)
    exchange.headers['cross-origin-resource-policy'] = 'same-origin'
    return streamed(exchange, exportedFile(file), { report, mayRead: () => sessions.isLive(session) })
  }

  const sendChosen = (visit: Asker, format: InboxFormat, { chosen }: Chosen<Place>): Response =>
    send(visit, format, [...new Set(chosen.map(({ formId }) => formId))], chosen)

  return {
    sendChosen,

    /** All that matches; of a search, as many as can be chosen at once. */
    async sendAll(visit: Asker, format: InboxFormat, asked: Asked, upTo?: string | null): Promise<Response> {
      const query = toInboxQuery(asked, { limit: 1, newer: '' })
      if (isOfContent(query.wanted)) return sendChosen(visit, format, await matching(visit, asked, upTo))
      const { formIds, part } = inbox.partOf(visit.session.userId, query)
      return send(visit, format, formIds, part)
    },
  }
}

/** `/inbox/export`: what the inbox shows, as a file. */
export const inboxExportRoutes = (options: PageOptions) => {
  const { sendAll } = inboxExporter(options)
  return [
    options.pages.userPage(inboxExportPath, (visit) =>
      sendAll(visit, formatIn(visit.query.format) ?? 'csv', { ...toAsked(visit.query, undefined), cursor: '' }),
    ),
  ]
}

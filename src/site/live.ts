import type { MemberStore } from '../accounts/members/store.ts'
import { formEventsPath, formsEventsPath, sharedEventsPath } from '../config/addresses.ts'
import type { FormAccess } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { FormStore } from '../forms/store.ts'
import type { EventStreams } from '../http/event-streams.ts'
import type { UnreadReads } from '../submissions/unread.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { PageAccess } from './page-access.ts'
import type { FormParams, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly forms: FormStore
  readonly members: Pick<MemberStore, 'listShared'>
  readonly findForm: (id: string) => Form | undefined
  readonly unreadReads: UnreadReads
  readonly sessions: BrowserSessions
  readonly streams: EventStreams
}

/**
 * `/forms/:formId/events`: sends an event to the pages that list submissions when there are others, until the session ends.
 * `/events` and `/shared/events` do so for the pages that list forms.
 */
export const liveRoutes = ({
  pages: { userPage },
  access,
  forms,
  members,
  findForm,
  unreadReads,
  sessions,
  streams,
}: Options) => {
  const watchList =
    (stateFor: (userId: string) => string) =>
    ({ exchange, session }: UserVisit): Response =>
      streams.open(exchange, {
        owner: session.userId,
        look: () => (sessions.isLive(session) ? stateFor(session.userId) : null),
      })

  const on = {
    watchForms: watchList((userId) => stateOfForms(forms, userId)),
    watchShared: watchList((userId) => stateOfShared(forms, members, userId)),

    watch({ exchange, session, params }: UserVisit<FormParams>): Response {
      const { id } = access.findFormTo('read', session.userId, params.formId)
      return streams.open(exchange, {
        owner: session.userId,
        look() {
          const form = sessions.isLive(session) ? findForm(id) : undefined
          return form && access.mayDo(session.userId, form, 'read')
            ? stateOf(form, unreadReads.countUnread(form, session.userId))
            : null
        },
      })
    },
  }

  return [
    userPage(formsEventsPath, on.watchForms),
    userPage(sharedEventsPath, on.watchShared),
    userPage(formEventsPath, on.watch),
  ]
}

/** Differs when the form has other submissions, others are unread or done, or others have notes. */
export const stateOf = ({ latestId, changeCount }: Form, unreadCount: number): string =>
  `${latestId}-${changeCount}-${unreadCount}`

/**
 * Differs when one of the user's forms has a new submission, or there are more or fewer forms. It reads the first form alone,
 * as its list begins with the last one that had a submission: it is looked at after each commit.
 *
 * @param firstPage of the list, where it is at hand: to find the first form, all of them are read
 */
export const stateOfForms = (
  forms: Pick<FormStore, 'findLastActive'>,
  userId: string,
  firstPage: ReturnType<FormStore['findLastActive']> = forms.findLastActive(userId),
): string => {
  const { total = 0, forms: listed = [] } = firstPage ?? {}
  return [total, ...listed.slice(0, 1).map((form) => stateOf(form, 0))].join('-')
}

/** The state of the forms that others share with the user, of which the newest twenty count. */
export const stateOfShared = (
  forms: Pick<FormStore, 'findReadable'>,
  members: Pick<MemberStore, 'listShared'>,
  userId: string,
): string => {
  const { total, forms: shared } = members.listShared(userId, { page: 1, perPage: 20 })
  const found = forms.findReadable(
    userId,
    shared.map(({ id }) => id),
  )
  return [total, ...found.map((form) => stateOf(form, 0))].join('-')
}

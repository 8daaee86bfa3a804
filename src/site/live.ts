import { formEventsPath, formsEventsPath } from '../config/addresses.ts'
import type { FormAccess } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { FormLists } from '../forms/lists/store.ts'
import type { PageOptions } from './page-options.ts'
import type { FormParams, UserVisit } from './visit.ts'

/**
 * `/forms/:formId/events`: sends an event to the pages that list submissions when there are others, until the session ends.
 * `/forms/events` does so for the page that lists forms.
 */
export const liveRoutes = (options: PageOptions) => {
  const { userPage } = options.pages
  const { access, formLists, findForm, unreadReads, sessions, streams } = options

  const on = {
    watchForms: ({ exchange, session }: UserVisit): Response =>
      streams.open(exchange, {
        owner: session.userId,
        look: () => (sessions.isLive(session) ? stateOfAllForms(formLists, access, session.userId) : null),
      }),

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

  return [userPage(formsEventsPath, on.watchForms), userPage(formEventsPath, on.watch)]
}

/** Differs when the form has other submissions, others are unread or done, or others have notes. */
export const stateOf = ({ latestId, changeCount }: Form, unreadCount: number): string =>
  `${latestId}-${changeCount}-${unreadCount}`

/**
 * Differs when one of the user's forms, or one that is shared, has a new submission, or there are more or fewer forms. Of the
 * own ones it reads the first alone, as their list begins with the last one that had a submission: it is looked at after each
 * commit. Of those that are shared, the newest twenty count.
 */
export const stateOfAllForms = (
  lists: Pick<FormLists, 'findLastActive' | 'listShared'>,
  { findReadable }: Pick<FormAccess, 'findReadable'>,
  userId: string,
): string => {
  const own = lists.findLastActive(userId)
  const shared = lists.listShared(userId, { page: 1, perPage: 20 }, null)
  const found = findReadable(
    userId,
    shared.forms.map(({ id }) => id),
  )
  const states = [...(own?.forms ?? []), ...found].map((form) => stateOf(form, 0))
  return [own?.total ?? 0, shared.total, ...states].join('-')
}

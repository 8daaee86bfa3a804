import { formEventsPath, formsEventsPath } from '../config/addresses.ts'
import { stateOfForm } from '../forms/form.ts'
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
        look: () => (sessions.isLive(session) ? formLists.stateOfForms(session.userId) : null),
      }),

    watch({ exchange, session, params }: UserVisit<FormParams>): Response {
      const { id } = access.findFormTo('read', session.userId, params.formId)
      return streams.open(exchange, {
        owner: session.userId,
        look() {
          const form = sessions.isLive(session) ? findForm(id) : undefined
          return form && access.mayDo(session.userId, form, 'read')
            ? stateOfForm(form, unreadReads.countUnread(form, session.userId))
            : null
        },
      })
    },
  }

  return [userPage(formsEventsPath, on.watchForms), userPage(formEventsPath, on.watch)]
}

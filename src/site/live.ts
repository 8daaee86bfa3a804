import type { Form } from '../forms/ownership.ts'
import type { FormStore } from '../forms/store.ts'
import type { EventStreams } from '../http/event-streams.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { formPath } from './form-frame.ts'
import type { FormParams, UserVisit } from './visit.ts'

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly sessions: BrowserSessions
  readonly streams: EventStreams
}

/** `/forms/:formId/events`: sends an event to the pages that list submissions when there are others, until the session ends. */
export const liveHandlers = ({ forms, submissions, sessions, streams }: Options) => ({
  watch({ exchange, session, params }: UserVisit<FormParams>): Response {
    const { id } = forms.findFormTo('read', session.userId, params.formId)
    return streams.open(exchange, {
      owner: session.userId,
      look() {
        const form = sessions.isLive(session) ? submissions.findTarget(id) : undefined
        return form && forms.mayDo(session.userId, form, 'read')
          ? stateOf(form, submissions.countUnread(form, session.userId))
          : null
      },
    })
  },
})

export const eventsPath = (formId: string): string => `${formPath(formId)}/events`

/** Differs when the form has other submissions, or others are unread. */
export const stateOf = ({ latestId, submissionCount }: Form, unreadCount: number): string =>
  `${latestId}-${submissionCount}-${unreadCount}`

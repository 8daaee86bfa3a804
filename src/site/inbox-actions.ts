import { invalid } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { homePath, inboxActionsPath, inboxExportPath, inboxReadPath } from '../config/addresses.ts'
import { html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { actOnEach, type InboxAction, inboxActor, unreadable } from '../submissions/inbox/actions.ts'
import type { Place } from '../submissions/inbox/merge.ts'
import type { Chosen } from '../submissions/search/matching.ts'
import { type InboxFormat, inboxFormats } from '../transfer/export/inbox.ts'
import { type Action, actions, inWords, notDoneYet } from './action-words.ts'
import { isEverything, matchingReader, tickedIn } from './chosen.ts'
import { inboxExporter } from './exports.ts'
import { type Asked, hiddenInputs, inboxPath, toAsked, toWhich } from './inbox-query.ts'
import { toRowId } from './inbox-rows.ts'
import type { PageOptions } from './page-options.ts'
import { maxSelected } from './selected-submissions.ts'
import type { UserSent, UserVisit } from './visit.ts'

/** `/inbox/selected` and `/inbox/export`: does something with submissions of several forms, or sends them as a file. */
export const inboxActionsRoutes = (options: PageOptions) => {
  const { inbox, submissions } = options
  const { userAction, userPage } = options.pages
  const matching = matchingReader(options)
  const act = inboxActor(options)
  const { sendAll, sendChosen } = inboxExporter(options, matching)

  const chosenIn = async (visit: UserSent): Promise<Chosen<Place>> =>
    isEverything(visit.form)
      ? matching(visit, askedIn(visit.form), visit.form.get('upTo'))
      : { chosen: tickedIn(visit.form), hasMore: false }

  const ask = (visit: UserSent, action: InboxAction, isLate: boolean): Response => {
    const { session, form: sent } = visit
    const isOfAll = isEverything(sent)
    const { button, warning }: Action = actions[action]
    const asked = askedIn(sent)
    const title = `${button}${warning ? '' : ':'} ${inWords(isOfAll ? 'all' : tickedIn(sent).length)}?`
    const rows = isOfAll ? [] : tickedIn(sent).map(({ formId, id }) => hiddenInput('ids', toRowId(formId, id)))
    return questionPage({
      email: session.email,
      title,
      section: homePath,
      subject: html``,
      text: (!isLate && warning) || notDoneYet,
      action: inboxActionsPath(),
      answers: html`${hiddenInputs(asked)}${rows}${hiddenInput('action', action)}${hiddenInput('confirm', 'yes')}${isOfAll && html`${hiddenInput('all', 'true')}${hiddenInput('upTo', sent.get('upTo') ?? '')}`}<button class="primary${warning && ' dangerous'}">${button}</button>
<a class="button" href="${inboxPath(asked)}">Cancel</a>`,
    })
  }

  const on = {
    async act(visit: UserSent): Promise<Response> {
      const { form: sent } = visit
      const format = formatIn(sent.get('action'))
      const action = format ?? actionIn(sent)
      if (!isEverything(sent) && tickedIn(sent).length === 0) return redirect(inboxPath(askedIn(sent)))
      if (!format) return on.change(visit, action as InboxAction)
      if (isEverything(sent)) return sendAll(visit, format, askedIn(sent), sent.get('upTo'))
      return sendChosen(visit, format, tickedIn(sent))
    },

    /** Asks first before what cannot be undone. */
    async change(visit: UserSent, action: InboxAction): Promise<Response> {
      const { session, form: sent } = visit
      const asked = askedIn(sent)
      const { warning, undo }: Action = actions[action]
      if (warning && sent.get('confirm') !== 'yes') return ask(visit, action, false)
      const { chosen, hasMore } = await chosenIn(visit)
      const { done, left } = await act(action, session.userId, chosen)
      const isUndoable = undo !== undefined && done.length <= maxSelected
      const more = {
        done: action,
        count: String(done.length),
        ...(isUndoable && done.length > 0 && { undo: done.map(({ id, formId }) => toRowId(formId, id)).join() }),
        ...(left && { left: String(left.count), of: left.formId }),
        ...(hasMore && { more: 'true' }),
      }
      return redirect(`${inboxPath(isEverything(sent) ? { ...asked, cursor: '', after: 0 } : asked, more)}#notice`)
    },

    askAgain: (visit: UserSent): Response =>
      formatIn(visit.form.get('action'))
        ? redirect(inboxPath(askedIn(visit.form)))
        : ask(visit, actionIn(visit.form), true),

    /** What the inbox shows, as a file. */
    export: (visit: UserVisit): Promise<Response> =>
      sendAll(visit, formatIn(visit.query.format) ?? 'csv', { ...toAsked(visit.query, undefined), cursor: '' }),

    /** All up to one that the page had, in all forms or in the one that is shown. */
    async markAllRead({ session: { userId }, form: sent }: UserSent): Promise<Response> {
      const asked = askedIn(sent)
      const upTo = sent.get('upTo')
      const unread = isId(upTo) ? inbox.findUnread(userId, toWhich(asked)) : []
      const markAll = ({ formId, latestId }: (typeof unread)[number]): Promise<void> => {
        const [last] = [String(upTo), latestId].sort()
        return submissions.markAllRead(userId, formId, last as string)
      }
      await actOnEach(unread, markAll, unreadable)
      return redirect(inboxPath({ ...asked, unread: '', cursor: '', after: 0 }))
    },
  }

  return [
    userAction(inboxActionsPath, homePath, on.act, on.askAgain),
    userAction(inboxReadPath, homePath, on.markAllRead),
    userPage(inboxExportPath, on.export),
  ]
}

const askedIn = (sent: URLSearchParams): Asked => toAsked(Object.fromEntries(sent), undefined)

const actionIn = (sent: URLSearchParams): InboxAction => {
  const given = sent.get('action') ?? ''
  if (Object.hasOwn(actions, given)) return given as InboxAction
  throw invalid({ field: 'action', message: `must be one of ${Object.keys(actions).join(', ')}` })
}

const formatIn = (name: unknown): InboxFormat | undefined => inboxFormats.find((one) => one === name)

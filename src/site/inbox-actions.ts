import { expecting, invalid } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { homePath, inboxActionsPath, inboxReadPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import { html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import type { Place } from '../submissions/inbox/merge.ts'
import { type Chosen, isEverything, matchingReader, tickedIn } from './chosen.ts'
import { formatIn, inboxExporter } from './inbox-export.ts'
import { type InboxAction, inboxActions } from './inbox-notice.ts'
import { type Asked, hiddenInputs, inboxPath, toAsked, toWhich } from './inbox-query.ts'
import { toRowId } from './inbox-rows.ts'
import type { PageOptions } from './page-options.ts'
import { actOnEach, maxSelected } from './selected-submissions.ts'
import type { UserSent } from './visit.ts'

const slice = 100

/** The form may no longer be shared. */
const passedOver = ['not_found', 'forbidden'] as const

/** `/inbox/selected`: does something with submissions of several forms. */
export const inboxActionsRoutes = (options: PageOptions) => {
  const { access, inbox, submissions } = options
  const { userAction } = options.pages
  const matching = matchingReader(options)
  const { sendAll, sendChosen } = inboxExporter(options)

  const chosenIn = async (visit: UserSent): Promise<Chosen<Place>> =>
    isEverything(visit.form)
      ? matching(visit, askedIn(visit.form), visit.form.get('upTo'))
      : { chosen: tickedIn(visit.form), hasMore: false }

  /** Does something with those of one form that there still are, and returns them. */
  const actOn = async (action: InboxAction, userId: string, formId: string, ids: readonly string[]) => {
    const form = access.findFormTo('read', userId, formId)
    if (action === 'accept') return actOnEach(ids, (id) => submissions.acceptSpam(userId, formId, id), passedOver)
    const found = submissions.findSubmissions(form, 'inbox', ids).submissions.map(({ id }) => id)
    if (found.length === 0) return []
    switch (action) {
      case 'read':
        await submissions.markRead(form, userId, found)
        return found
      case 'unread':
        // Of those that have been read for long, some may stay as they are.
        return (await submissions.markUnread(userId, formId, found)) === 0 ? [] : found
      case 'delete':
        await submissions.deleteSubmissions(userId, formId, 'inbox', found)
        return found
      case 'spam':
        return actOnEach(found, (id) => submissions.markSpam(userId, formId, id), passedOver)
      default:
        await submissions.handleSubmissions(userId, formId, found, action)
        return found
    }
  }

  /** Does something in the forms in which the user may, one after the other. */
  const actOnAll = async (action: InboxAction, userId: string, places: readonly Place[]): Promise<Outcome> => {
    const done: Place[] = []
    let left: FormTo<'read'> | undefined
    let leftCount = 0
    for (const [formId, ofForm] of Map.groupBy(places, (place) => place.formId)) {
      const [form] = access.findReadable(userId, [formId])
      if (!form) continue
      if (action !== 'read' && action !== 'unread' && !access.mayDo(userId, form, 'edit')) {
        left = form
        leftCount += ofForm.length
        continue
      }
      for (let start = 0; start < ofForm.length; start += slice) {
        const ids = ofForm.slice(start, start + slice).map(({ id }) => id)
        // Someone may have been quicker, perhaps in another window.
        const acted = await expecting(passedOver, () => actOn(action, userId, formId, ids))
        if (acted.state === 'done') done.push(...acted.value.map((id) => ({ id, formId })))
      }
    }
    return { done, left: left && { formId: left.id, count: leftCount } }
  }

  const ask = (visit: UserSent, action: InboxAction, isLate: boolean): Response => {
    const { session, form: sent } = visit
    const isOfAll = isEverything(sent)
    const count = isOfAll ? 'all that match' : tickedIn(sent).length
    const { question, button, isDangerous } = inboxActions[action]
    const asked = askedIn(sent)
    const title = `${question} ${count === 1 ? 'this submission' : isOfAll ? count : `${count} submissions`}?`
    const rows = isOfAll ? [] : tickedIn(sent).map(({ formId, id }) => hiddenInput('ids', toRowId(formId, id)))
    return questionPage({
      email: session.email,
      title,
      section: homePath,
      subject: html``,
      text: isLate ? 'Your session had ended, so this has not been done yet.' : 'This can’t be undone.',
      action: inboxActionsPath(),
      answers: html`${hiddenInputs(asked)}${rows}${hiddenInput('action', action)}${hiddenInput('confirm', 'yes')}${isOfAll && html`${hiddenInput('all', 'true')}${hiddenInput('upTo', sent.get('upTo') ?? '')}`}<button class="primary${isDangerous && ' dangerous'}">${button}</button>
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
      return sendChosen(visit, format, { chosen: tickedIn(sent), hasMore: false })
    },

    /** Before it deletes, it asks. */
    async change(visit: UserSent, action: InboxAction): Promise<Response> {
      const { session, form: sent } = visit
      const asked = askedIn(sent)
      if (action === 'delete' && sent.get('confirm') !== 'yes') return ask(visit, action, false)
      const { chosen, hasMore } = await chosenIn(visit)
      const { done, left } = await actOnAll(action, session.userId, chosen)
      const isUndoable = inboxActions[action].undo !== undefined && done.length <= maxSelected
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

    /** All up to one that the page had, in all forms or in the one that is shown. */
    async markAllRead({ session: { userId }, form: sent }: UserSent): Promise<Response> {
      const asked = askedIn(sent)
      const upTo = sent.get('upTo')
      const unread = isId(upTo) ? inbox.findUnread(userId, toWhich(asked)) : []
      const markAll = ({ formId, latestId }: (typeof unread)[number]): Promise<void> => {
        const [last] = [String(upTo), latestId].sort()
        return submissions.markAllRead(userId, formId, last as string)
      }
      await actOnEach(unread, markAll, passedOver)
      return redirect(inboxPath({ ...asked, unread: '', cursor: '', after: 0 }))
    },
  }

  return [
    userAction(inboxActionsPath, homePath, on.act, on.askAgain),
    userAction(inboxReadPath, homePath, on.markAllRead),
  ]
}

interface Outcome {
  readonly done: readonly Place[]
  /** Submissions of forms in which the user may not do it, and one of these forms. */
  readonly left: { readonly formId: string; readonly count: number } | undefined
}

const askedIn = (sent: URLSearchParams): Asked => toAsked(Object.fromEntries(sent), undefined)

const actionIn = (sent: URLSearchParams): InboxAction => {
  const given = sent.get('action') ?? ''
  if (Object.hasOwn(inboxActions, given)) return given as InboxAction
  throw invalid({ field: 'action', message: `must be one of ${Object.keys(inboxActions).join(', ')}` })
}

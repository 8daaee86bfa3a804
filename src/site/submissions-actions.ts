import { isId } from '../base/id.ts'
import {
  deleteSubmissionsPath,
  formPath,
  handlingPath,
  homePath,
  markReadPath,
  markSpamPath,
} from '../config/addresses.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { redirect } from '../html/redirect.ts'
import { actOnEach } from '../submissions/inbox/actions.ts'
import { least } from '../submissions/spam/model.ts'
import { actions } from './action-words.ts'
import { chosenReader, isEverything } from './chosen.ts'
import { listPath, toListQuery, wholeList } from './list-query.ts'
import type { PageOptions } from './page-options.ts'
import { askAbout, deleteFound, doneTo, maxSelected, selectedIds } from './selected-submissions.ts'
import type { FormParams, UserSent } from './visit.ts'

/** Does something with the submissions that are selected in the list, or with the one whose page it is. */
export const submissionsActionsRoutes = (options: PageOptions) => {
  const { access, submissions, handlingReads } = options
  const { userAction } = options.pages
  const chosenIn = chosenReader(options)

  const askTo = (
    what: 'delete' | 'spam' | 'done' | 'open',
    { session, params, form: sent }: UserSent<FormParams>,
  ): Response => {
    const form = access.findFormTo('edit', session.userId, params.formId)
    const listQuery = toListQuery(Object.fromEntries(sent))
    const all = isEverything(sent) ? { upTo: sent.get('upTo') ?? '' } : undefined
    const ids = all ? [] : selectedIds(sent)
    return askAbout({ submissions, session, form, list: 'inbox', listQuery, ids, all, what: actions[what] })
  }

  /** Whether these marks are the ones with which a form could begin to learn: that is said once. */
  const isLearningOffered = (userId: string, formId: string, count: number): boolean => {
    const form = access.findFormTo('edit', userId, formId)
    if (parseSettings(form.settings).learnSpam || !access.mayDo(userId, form, 'configure')) return false
    const marked = submissions.learning.countMarked(form)
    return marked >= least.marked && marked - count < least.marked
  }

  const on = {
    /** The selected ones, or all up to one that the page had. Or makes them unread again. */
    async markRead(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const { userId } = session
      const form = access.findFormTo('read', userId, params.formId)
      const { id } = form
      const upTo = sent.get('upTo')
      if (isId(upTo) && !sent.has('ids') && !sent.has('all')) {
        await submissions.markAllRead(userId, id, upTo)
        return redirect(listPath(id, 'inbox', wholeList))
      }
      const { chosen: ids, hasMore } = await chosenIn(visit)
      const listQuery = toListQuery(Object.fromEntries(sent))
      if (ids.length === 0) return redirect(listPath(id, 'inbox', listQuery))
      if (sent.has('unread')) {
        const count = await submissions.markUnread(userId, id, ids)
        if (listQuery.from === 'inbox') return redirect(homePath())
        return doneTo({ done: 'unread', count, hasMore, form, list: 'inbox', listQuery })
      }
      const found = access.findFormTo('read', userId, id)
      const count = submissions.findSubmissions(found, 'inbox', ids).submissions.length
      await submissions.markRead(found, userId, ids)
      return doneTo({ done: 'read', count, hasMore, form, list: 'inbox', listQuery })
    },

    async markSpam(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = access.findFormTo('edit', session.userId, params.formId)
      const { chosen: ids, hasMore } = await chosenIn(visit)
      const marked = await actOnEach(ids, (id) => submissions.markSpam(session.userId, form.id, id))
      const count = marked.length
      const done = isLearningOffered(session.userId, form.id, count) ? 'offered' : 'spam'
      return doneTo({ done, count, hasMore, undo: undoable(marked), form, ...placeIn(sent) })
    },

    /** Marks the selected ones as done, or opens them again. */
    async handle(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = access.findFormTo('edit', session.userId, params.formId)
      const state = sent.get('handling') === 'open' ? 'open' : 'done'
      const { chosen: ids, hasMore } = await chosenIn(visit)
      const before = state === 'open' ? 'done' : 'open'
      const found = access.findFormTo('edit', session.userId, params.formId)
      const sorted = ids.toSorted().reverse()
      const states = handlingReads.statesAmong(found, sorted)
      const undo = undoable(sorted.filter((id) => (states.get(id) ?? 'open') === before))
      const handled = await actOnEach(ids, (id) => submissions.handleSubmissions(session.userId, form.id, [id], state))
      return doneTo({ done: state, count: handled.length, hasMore, undo, form, ...placeIn(sent) })
    },

    askToHandle: (sent: UserSent<FormParams>): Response =>
      askTo(sent.form.get('handling') === 'open' ? 'open' : 'done', sent),

    askToMarkSpam: (sent: UserSent<FormParams>): Response => askTo('spam', sent),

    /** Asks first. The confirmation names the submissions that the question showed. */
    async delete(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      if (sent.get('confirm') !== 'yes') return askTo('delete', visit)
      const { chosen: ids, hasMore } = await chosenIn(visit)
      if (ids.length === 0) return askTo('delete', visit)
      const form = access.findFormTo('edit', session.userId, params.formId)
      const count = await deleteFound(submissions, session.userId, { form, list: 'inbox', ids })
      return doneTo({ done: 'delete', count, hasMore, form, ...placeIn(sent), next: null })
    },

    askToDelete: (sent: UserSent<FormParams>): Response => askTo('delete', sent),
  }

  return [
    userAction(deleteSubmissionsPath, formPath, on.delete, on.askToDelete),
    userAction(markSpamPath, formPath, on.markSpam, on.askToMarkSpam),
    userAction(markReadPath, formPath, on.markRead),
    userAction(handlingPath, formPath, on.handle, on.askToHandle),
  ]
}

/** The submissions for which it can be undone: as many as an address names. */
const undoable = (ids: readonly string[]): readonly string[] => (ids.length > maxSelected ? [] : ids)

/** The list that was shown, and what comes next for someone who reads one submission after the other. */
const placeIn = (sent: URLSearchParams) => {
  const listQuery = toListQuery(Object.fromEntries(sent))
  return { list: 'inbox', listQuery, next: sent.get('next'), of: sent.get('of') } as const
}

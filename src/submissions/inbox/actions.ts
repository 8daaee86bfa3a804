import { type ErrorCode, expecting } from '../../base/errors.ts'
import type { FormAccess, FormTo } from '../../forms/access.ts'
import type { SubmissionStore } from '../store.ts'
import type { Place } from './merge.ts'

/** What can be done with submissions of an inbox. */
export type InboxAction = 'done' | 'open' | 'spam' | 'accept' | 'read' | 'unread' | 'delete'

/** As many as are written in one batch, or two. */
const slice = 100

/**
 * Does something with each, in slices whose writes are one batch each, and returns those that there were: someone may have been
 * quicker, perhaps in another window.
 *
 * @param passedOver errors after which the others still have their turn
 */
export const actOnEach = async <Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
  passedOver: readonly ErrorCode[] = ['not_found'],
): Promise<Item[]> => {
  const found: Item[] = []
  for (let start = 0; start < items.length; start += slice) {
    const some = items.slice(start, start + slice)
    const done = await Promise.all(some.map((item) => expecting(passedOver, () => act(item))))
    found.push(...some.filter((_, i) => done[i]?.state === 'done'))
  }
  return found
}

/** The form may no longer be shared. */
export const unreadable = ['not_found', 'forbidden'] as const

interface Outcome {
  readonly done: readonly Place[]
  /** Submissions of forms in which the user may not do it, and one of these forms. */
  readonly left: { readonly formId: string; readonly count: number } | undefined
}

type Options = {
  readonly access: Pick<FormAccess, 'findFormTo' | 'findReadable' | 'mayDo'>
  readonly submissions: SubmissionStore
}

/** The returned function does something in those forms in which the user may, one after the other. */
export const inboxActor = ({ access, submissions }: Options) => {
  /** Does something with those of one form that there still are, and returns them. */
  const actOn = async (action: InboxAction, userId: string, formId: string, ids: readonly string[]) => {
    const form = access.findFormTo('read', userId, formId)
    if (action === 'accept') return actOnEach(ids, (id) => submissions.acceptSpam(userId, formId, id), unreadable)
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
        return actOnEach(found, (id) => submissions.markSpam(userId, formId, id), unreadable)
      default:
        await submissions.handleSubmissions(userId, formId, found, action)
        return found
    }
  }

  return async (action: InboxAction, userId: string, places: readonly Place[]): Promise<Outcome> => {
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
        const acted = await expecting(unreadable, () => actOn(action, userId, formId, ids))
        if (acted.state === 'done') done.push(...acted.value.map((id) => ({ id, formId })))
      }
    }
    return { done, left: left && { formId: left.id, count: leftCount } }
  }
}

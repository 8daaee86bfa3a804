import type { FormTo } from '../forms/access.ts'
import type { Db } from '../storage/open.ts'
import { type HandlingState, handlingReads } from './handling.ts'
import { unreadReads } from './unread.ts'

export type SubmissionState = HandlingState | 'unread'

/**
 * The returned function picks those of a state out of some submissions of the inbox: what is unread is so to this user. It takes
 * as long as it takes to read the rows of submissions between the first and the last one.
 *
 * @param ids newest first
 */
export const stateReader = (
  db: Db,
): ((form: FormTo<'read'>, userId: string, state: SubmissionState, ids: readonly string[]) => string[]) => {
  const { unreadAmong } = unreadReads(db)
  const { doneAmong } = handlingReads(db)

  return (form, userId, state, ids) => {
    if (state === 'unread') return [...unreadAmong(form, userId, ids)]
    const done = doneAmong(form, ids)
    return ids.filter((id) => done.has(id) === (state === 'done'))
  }
}

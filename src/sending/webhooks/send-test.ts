import { tooManyRequests } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { formPath } from '../../config/addresses.ts'
import type { SendTest } from '../../forms/webhooks/store.ts'
import { webhookMessage } from './message.ts'
import type { Poster } from './post.ts'

interface Options {
  readonly post: Poster
  readonly publicUrl: string | null
  readonly now: () => number
  readonly maxOfUser?: number
  readonly maxInAll?: number
}

/** A test ends after 15 seconds. */
const retryAfterSeconds = 5

/**
 * Sends a `webhook.test` and returns what came back, whatever that is. Few run at the same time, because each can keep
 * its request waiting for as long as a post may take.
 */
export const openTestSender = ({ post, publicUrl, now, maxOfUser = 2, maxInAll = 16 }: Options): SendTest => {
  const running = new Map<string, number>()
  let inAll = 0

  return async (userId, form, receiver) => {
    const ofUser = running.get(userId) ?? 0
    if (ofUser >= maxOfUser || inAll >= maxInAll) throw tooManyRequests(retryAfterSeconds)
    running.set(userId, ofUser + 1)
    inAll++
    try {
      const link = publicUrl && `${publicUrl}${formPath(form.id)}`
      const attemptAt = now()
      const about = { receiver, form, submission: null, attemptAt, link }
      const { url, ...message } = webhookMessage({ id: newId(attemptAt), ...about })
      const { status, error, answer, milliseconds } = await post(url, message)
      return { status, error, answer, milliseconds }
    } finally {
      inAll--
      const left = (running.get(userId) ?? 1) - 1
      if (left > 0) running.set(userId, left)
      else running.delete(userId)
    }
  }
}

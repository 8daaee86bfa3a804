import type { Reader } from '../db/reader.ts'
import { createdAt } from '../id.ts'
import type { Claimed } from '../outbox/claim.ts'
import { type FoundReceiver, receiverOfDelivery } from '../outbox/receivers.ts'
import { validSecrets } from '../outbox/webhook-secret.ts'
import { webhookMessage } from '../outgoing/message.ts'
import type { Poster } from '../outgoing/post.ts'
import { inboxOf } from '../submissions/lists.ts'
import { textReader } from '../submissions/whole-text.ts'
import type { Attempted } from './send-deliveries.ts'

interface Options {
  readonly reader: Reader
  readonly post: Poster
  /** Null if this server sends no mail. */
  readonly sendMail: ((claimed: Claimed, told: Told, signal: AbortSignal) => Promise<Attempted>) | null
  /** What links begin with; null if it is not known. */
  readonly publicUrl: string | null
  readonly now: () => number
}

/** What a delivery is about. */
export interface Told extends FoundReceiver {
  /** JSON text of the submission; undefined if the delivery is about none. */
  readonly data: string | undefined
}

/** Makes the message of a claimed delivery as things are now, and sends it. */
export const deliveryAttempts = ({ reader, post, sendMail, publicUrl, now }: Options) => {
  const find = receiverOfDelivery(reader.db)
  const readText = textReader(reader.db)

  const postToWebhook = async (claimed: Claimed, told: Told, signal: AbortSignal): Promise<Attempted> => {
    const { receiver, form, data = '{}' } = told
    const id = claimed.submission ?? ''
    const message = webhookMessage(receiver.format ?? 'standard', {
      id: claimed.id,
      secrets: validSecrets(receiver, now()),
      form,
      submission: { id, createdAt: createdAt(id), data },
      attemptAt: now(),
      link: publicUrl && `${publicUrl}/forms/${form.id}/submissions/${id}`,
    })
    const { status, error, answer, retryAfterMilliseconds } = await post(receiver.target, { ...message, signal })
    if (status === 410)
      return { result: 'refused', status, error, answer, disabledReason: 'It answered 410: it is gone for good.' }
    return { result: error === null ? 'delivered' : 'later', status, error, answer, retryAfterMilliseconds }
  }

  return async (claimed: Claimed, signal: AbortSignal): Promise<Attempted> => {
    const { kind, submission } = claimed
    const found = find(claimed.receiver)
    if (found && !found.receiver.isEnabled) return switchedOff
    const isOfSubmission = kind === 'webhook' || kind === 'email'
    const data = found && isOfSubmission ? readText(inboxOf(found.form.number), submission ?? '') : undefined
    if (!found || (isOfSubmission && data === undefined)) return gone
    const told = { ...found, data }
    if (kind === 'webhook') return await postToWebhook(claimed, told, signal)
    return sendMail ? await sendMail(claimed, told, signal) : noMailServer
  }
}

/** Whoever deleted it deleted the delivery as well. */
const gone: Attempted = {
  result: 'refused',
  status: null,
  error: 'The submission or the receiver was deleted.',
  answer: '',
}

/** Since it was claimed. The secret of one that was taken away is gone. */
const switchedOff: Attempted = { result: 'refused', status: null, error: 'The receiver was switched off.', answer: '' }

/** The setting was there when the address was added. */
const noMailServer: Attempted = {
  result: 'later',
  status: null,
  error: 'No mail server is set up: FORMBOX_SMTP_URL and FORMBOX_MAIL_FROM are missing.',
  answer: '',
}

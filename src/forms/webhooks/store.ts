import { notFound } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { type Receiver, receiverReader } from '../../outbox/receivers.ts'
import { newSecret, rotationMilliseconds } from '../../outbox/webhook-secret.ts'
import { type IdempotentRequest, resultOf } from '../../storage/idempotency.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { FormAccess, FormTo } from '../access.ts'
import { checkHeaders, hiddenHeaders } from './webhook-headers.ts'
import { changedMembers, membersOf, newMembers, type SentMembers, type WebhookMembers } from './webhook-members.ts'
import { hostAndPort, refuseUnreachable } from './webhook-rules.ts'
import { splitUrl, targetAt, unknownToken } from './webhook-services.ts'
import type { WebhookWrites } from './webhook-writes.ts'

/** A webhook without its secrets, which no one sees again. */
export interface Webhook
  extends WebhookMembers,
    Pick<Receiver, 'id' | 'isEnabled' | 'disabledReason' | 'failingSince'> {
  readonly url: string
  /** The names of its headers; in the place of each value, `•••`. */
  readonly headers: Readonly<Record<string, string>>
  /** Its deliveries, in whatever state. */
  readonly deliveryCount: number
}

interface NewWebhook extends SentMembers {
  readonly url: string
  /** Their values by their names. In a change, `•••` keeps one. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** An absent or undefined field keeps its value. */
type WebhookChanges = Partial<NewWebhook> & { readonly enabled?: boolean | undefined }

/** The result of a test. */
export interface TestResult {
  /** Null if there was no response. */
  readonly status: number | null
  /** The reason of the failure, in words for the owner; null if it was taken. */
  readonly error: string | null
  /** The beginning of the response, as text. */
  readonly answer: string
  readonly milliseconds: number
}

/** Sends a test. Rejects only with the AppError `rate_limited`. */
export type SendTest = (userId: string, form: FormTo<'webhooks'>, webhook: Receiver) => Promise<TestResult>

interface Options {
  readonly reader: Reader
  readonly access: FormAccess
  readonly writer: Writer<WebhookWrites>
  readonly now: () => number
  readonly sendTest: SendTest
  /** Whether the server connects to an IP address. */
  readonly isReachable: (address: string) => boolean
}

/**
 * Reads and writes the webhooks of a user's forms. That URLs are well-formed is checked before. Throws AppErrors `not_found`
 * (no such form or webhook) and `forbidden` (another user's form).
 */
export const openWebhookStore = ({ reader, access, writer, now, sendTest, isReachable }: Options) => {
  const receiversOf = receiverReader(reader.db)

  const find = ({ number }: FormTo<'webhooks'>, id: string): Receiver => {
    const found = receiversOf(number).find((receiver) => receiver.kind === 'webhook' && receiver.id === id)
    if (!found) throw notFound('Webhook')
    return found
  }

  return {
    /** Lists them in the order in which they were added. */
    listWebhooks: ({ number }: FormTo<'webhooks'>): Webhook[] =>
      receiversOf(number)
        .filter(({ kind }) => kind === 'webhook')
        .map(toWebhook),

    findWebhook: (form: FormTo<'webhooks'>, id: string): Webhook => toWebhook(find(form, id)),

    /** @throws AppError `invalid` if the server never connects to the address in the URL */
    refuseUnreachable: (url: string): void => refuseUnreachable(url, isReachable),

    /** @throws AppError `invalid` if nothing could arrive there, or the form has as many webhooks as it may have */
    async createWebhook(
      userId: string,
      formId: string,
      { url, headers = {}, ...given }: NewWebhook,
      request?: IdempotentRequest,
    ): Promise<{ readonly id: string; readonly secret: string; readonly isRepeat: boolean }> {
      refuseUnreachable(url, isReachable)
      const at = targetAt(url, given.format)
      const { target, urlToken } = splitUrl(at)
      if (urlToken === undefined) throw unknownToken()
      const columns = newMembers({ ...given, format: at.format })
      const created = { id: newId(now()), secret: newSecret() }
      const where = { url: target, urlToken, host: hostAndPort(url), headers: checkHeaders(headers) }
      const first = await writer.run('createWebhook', { userId, formId, ...created, ...where, ...columns, request })
      const firstCreated = resultOf(first)
      return firstCreated === undefined
        ? { ...created, isRepeat: false }
        : { ...JSON.parse(firstCreated), isRepeat: true }
    },

    /** @throws AppError `invalid` if nothing could arrive there */
    async updateWebhook(
      userId: string,
      formId: string,
      id: string,
      { url, headers, enabled, ...given }: WebhookChanges,
    ): Promise<void> {
      if (url !== undefined) refuseUnreachable(url, isReachable)
      const { format } = given
      const isUrlOrFormat = url !== undefined || format !== undefined
      const before = isUrlOrFormat ? toWebhook(find(access.findFormTo('webhooks', userId, formId), id)) : undefined
      const changed = before && targetAt(url ?? before.url, format ?? before.format)
      // Another format may have its secret at another place.
      const { target, urlToken } = changed ? splitUrl(changed) : {}
      const where = { url: target, urlToken, host: target && hostAndPort(target) }
      const changes = { ...where, headers: headers && checkHeaders(headers), enabled, ...changedMembers(given) }
      await writer.run('updateWebhook', { userId, formId, id, now: now(), ...changes })
    },

    /**
     * Sends a test and waits for what comes back, also to a webhook that is switched off.
     *
     * @throws AppError `rate_limited` while too many are under way
     */
    async testWebhook(userId: string, form: FormTo<'webhooks'>, id: string): Promise<TestResult> {
      return sendTest(userId, form, find(form, id))
    },

    deleteWebhook: (userId: string, formId: string, id: string): Promise<void> =>
      writer.run('deleteWebhook', { userId, formId, id, now: now() }),

    /** Returns the new secret. Each one before it signs as well for 24 hours, two at most. */
    async rotateWebhook(userId: string, formId: string, id: string, request?: IdempotentRequest) {
      const secret = newSecret()
      const at = now()
      const rotated = { userId, formId, id, now: at, secret, oldSecretUntil: at + rotationMilliseconds }
      const first = await writer.run('rotateWebhook', { ...rotated, request })
      const firstSecret = resultOf(first)
      return { secret: firstSecret ?? secret, isRepeat: firstSecret !== undefined }
    },
  }
}

const toWebhook = ({ id, target, headers, isEnabled, disabledReason, failingSince, ...rest }: Receiver): Webhook => ({
  id,
  url: target,
  ...membersOf(rest),
  headers: hiddenHeaders(headers),
  isEnabled,
  disabledReason,
  failingSince,
  deliveryCount: rest.pendingCount + rest.deliveredCount + rest.failedCount + rest.skippedCount,
})

import { and, eq, isNull } from 'drizzle-orm'
import { forbidden, invalid, notFound } from '../../base/errors.ts'
import { creationTime } from '../../base/id.ts'
import { maxReceivers, receiverLimit, receiverReader, receiverSwitch } from '../../outbox/receivers.ts'
import { withOldSecret } from '../../outbox/webhook-secret.ts'
import type { FirstRequest, IdempotentRequest } from '../../storage/idempotency.ts'
import { firstRequestRecorder } from '../../storage/idempotency.ts'
import type { Db } from '../../storage/open.ts'
import { givens, hookMembers, is, literal, param, params, receivers } from '../../storage/tables.ts'
import { accessIn } from '../access.ts'
import { trailWrites } from '../trail.ts'
import { hidden, mergeHeaders, movedHeaders } from './webhook-headers.ts'
import { isTokenMoved, placeOf, unknownToken } from './webhook-services.ts'

/** Webhooks that a form may have: each submission writes a row for each of them. */
export const maxWebhooks = 10

export type MemberName = (typeof hookMembers)[number]
export type StoredMembers = Pick<typeof receivers.$inferSelect, MemberName>
/** An undefined one is null, or keeps its value. */
export type MemberColumns = { readonly [Name in MemberName]?: StoredMembers[Name] | undefined }

/** A column of each member. */
export const pickMembers = (pick: (name: MemberName) => unknown) =>
  Object.fromEntries(hookMembers.map((name) => [name, pick(name)])) as unknown as StoredMembers

interface OfWebhook {
  readonly userId: string
  readonly formId: string
  /** The webhook's identifier. */
  readonly id: string
}

interface NewWebhook extends OfWebhook, MemberColumns {
  /** With `•••` in the place of its secret part. */
  readonly url: string
  readonly urlToken?: string | null
  /** Host and port of the URL. */
  readonly host: string
  readonly headers?: Parameters<typeof mergeHeaders>[1] | undefined
  readonly secret: string
  readonly request?: IdempotentRequest | undefined
}

/** An undefined field keeps its value. */
interface Update extends OfWebhook, MemberColumns {
  readonly now: number
  readonly url?: string | undefined
  /** Undefined with a URL that has `•••` keeps its secret part. */
  readonly urlToken?: string | null | undefined
  readonly host?: string | undefined
  readonly headers?: Parameters<typeof mergeHeaders>[1] | undefined
  readonly enabled: boolean | undefined
}

interface Rotation extends OfWebhook {
  readonly now: number
  readonly secret: string
  readonly oldSecretUntil: number
  readonly request?: IdempotentRequest | undefined
}

export type WebhookWrites = ReturnType<typeof webhookWrites>

/** @throws AppErrors `not_found` and `forbidden` for the form, `not_found` for the webhook */
export const webhookWrites = (db: Db) => {
  const { findFormTo, isShutOut } = accessIn(db)
  const receiversOf = receiverReader(db)
  const { find, insert, update, setSecrets } = statements(db)
  const { recount, remove } = receiverSwitch(db)
  const mayAdd = receiverLimit(db)
  const recordFirst = firstRequestRecorder(db)
  const note = trailWrites(db)

  const findWebhook = ({ userId, formId, id }: OfWebhook) => {
    const form = findFormTo('webhooks', userId, formId)
    const webhook = find.get({ form: form.number, id })
    if (!webhook) throw notFound('Webhook')
    return webhook
  }

  /** The first request, with a secret that someone who has lost the right to it may never have got. */
  const unlessShutOut = (
    first: FirstRequest,
    { userId, formId }: Pick<OfWebhook, 'userId' | 'formId'>,
  ): FirstRequest => {
    if (isShutOut(userId, formId, 'webhooks')) throw forbidden()
    return first
  }

  return {
    /**
     * The secret is kept for a repeat, whose client may never have got it.
     *
     * @throws AppError `invalid` if the form has as many webhooks as it may have
     */
    createWebhook(input: NewWebhook): FirstRequest | undefined {
      const { userId, formId, id, url, urlToken = null, host, headers = [], secret, request } = input
      const merged = mergeHeaders(null, headers)
      const first = recordFirst(request, JSON.stringify({ id, secret }))
      if (first) return unlessShutOut(first, { userId, formId })
      const { number: formNumber } = findFormTo('webhooks', userId, formId)
      if (receiversOf(formNumber).filter(({ kind }) => kind === 'webhook').length >= maxWebhooks)
        throw invalid({ field: 'formId', message: `must be a form with fewer than ${maxWebhooks} webhooks` })
      if (!mayAdd(formNumber))
        throw invalid({
          field: 'formId',
          message: `must be a form with fewer than ${maxReceivers} webhooks and addresses, with deleted ones whose deliveries are kept`,
        })
      const own = { form: formNumber, id, url, urlToken, host, secret, headers: merged }
      insert.run({ ...own, ...pickMembers((name) => input[name] ?? null) })
      recount(formNumber)
      note(formNumber, { userId, at: creationTime(id), what: 'settings', detail: 'webhook created' })
      return undefined
    },

    /** Switching it on forgets why it was switched off. */
    updateWebhook(input: Update): void {
      const { userId, now: at } = input
      const before = findWebhook(input)
      const { url, host, headers, enabled = before.isEnabled } = input
      const isMoved = url !== undefined && placeOf(url) !== placeOf(before.target)
      const isKept = headers === undefined ? before.headers !== null : headers.some(({ value }) => value === null)
      if (isMoved && isKept) throw movedHeaders()
      const urlToken = input.urlToken === undefined ? before.urlToken : input.urlToken
      if (
        input.urlToken === undefined &&
        url?.includes(hidden) &&
        (urlToken === null || isTokenMoved(before.target, url))
      )
        throw unknownToken()
      const isSwitchedOn = enabled && !before.isEnabled
      const after = {
        target: url ?? before.target,
        urlToken,
        host: host ?? before.host,
        ...pickMembers((name) => (input[name] === undefined ? before[name] : input[name])),
        headers: headers === undefined ? before.headers : mergeHeaders(before.headers, headers),
        isEnabled: enabled,
        disabledReason: isSwitchedOn ? null : before.disabledReason,
        failingSince: isSwitchedOn ? null : before.failingSince,
      }
      if (Bun.deepEquals({ ...before, ...after }, before)) return
      update.run({ ...after, number: before.number, isEnabled: Number(enabled) })
      recount(before.form)
      note(before.form, { userId, at, what: 'settings', detail: 'webhook changed' })
    },

    deleteWebhook(input: OfWebhook & { now: number }): void {
      const { number, form } = findWebhook(input)
      remove(number, input.now)
      note(form, { userId: input.userId, at: input.now, what: 'settings', detail: 'webhook deleted' })
    },

    /**
     * The new secret is kept for a repeat, which otherwise would replace it.
     *
     * @param input.oldSecretUntil Unix milliseconds until which the former secret signs as well
     */
    rotateWebhook(input: Rotation): FirstRequest | undefined {
      const first = recordFirst(input.request, input.secret)
      if (first) return unlessShutOut(first, input)
      const { number, form, secret: old, oldSecrets } = findWebhook(input)
      const former = old === null ? oldSecrets : withOldSecret(oldSecrets, { secret: old, until: input.oldSecretUntil })
      setSecrets.run({ number, secret: input.secret, oldSecrets: former })
      note(form, { userId: input.userId, at: input.now, what: 'settings', detail: 'webhook secret renewed' })
      return undefined
    },
  }
}

const statements = (db: Db) => {
  const find = db
    .select()
    .from(receivers)
    .where(
      and(
        eq(receivers.id, param('id')),
        eq(receivers.form, param('form')),
        is(receivers.kind, 'webhook'),
        isNull(receivers.removedAt),
      ),
    )
    .prepare()
  const insert = db
    .insert(receivers)
    .values({
      ...params('form', 'id', 'urlToken', 'host', 'headers', 'secret', ...hookMembers),
      kind: literal('webhook'),
      target: param('url'),
    })
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const update = db
    .update(receivers)
    .set(givens('target', 'urlToken', 'host', ...hookMembers, 'headers', 'isEnabled', 'disabledReason', 'failingSince'))
    .where(byNumber)
    .prepare()
  const setSecrets = db.update(receivers).set(givens('secret', 'oldSecrets')).where(byNumber).prepare()
  return { find, insert, update, setSecrets }
}

import { and, eq, sql } from 'drizzle-orm'
import { hourMilliseconds } from '../../base/durations.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { accessIn } from '../../forms/access.ts'
import { deliveryCounter } from '../../outbox/counts.ts'
import { deliveryKinds, isToVisitor, receiverKinds } from '../../outbox/kinds.ts'
import { mailHourWrites, mailsPerHour } from '../../outbox/mail-hours.ts'
import { receiverReader } from '../../outbox/receivers.ts'
import {
  type Reply,
  repliesOfNewUserPerDay,
  repliesOfUserPerDay,
  repliesOfUserPerHour,
  repliesPerDay,
  repliesPerHour,
  repliesToPerson,
  replyLimits,
  replyMilliseconds,
} from '../../outbox/replies.ts'
import type { Db } from '../../storage/open.ts'
import { statement } from '../../storage/statement.ts'
import { deliveries, given, literal, param, receivers } from '../../storage/tables.ts'

interface OfForm {
  readonly userId: string
  readonly formId: string
}

interface OfDelivery extends OfForm {
  readonly id: string
  /** Unix milliseconds. */
  readonly now: number
}

type OfDeliveries = OfForm & Omit<RetrySlice, 'form'>

export type DeliveryWrites = ReturnType<typeof deliveryWrites>

export const deliveryWrites = (db: Db) => {
  const { findFormTo } = accessIn(db)
  const replies = replyLimits(db)
  const retryAll = retryAllSlice(db)
  const readMailHours = mailHourWrites(db)
  const byKey = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const find = db
    .select({
      receiver: deliveries.receiver,
      kind: deliveries.kind,
      state: deliveries.state,
      target: deliveries.target,
      reason: deliveries.reason,
      receiverTarget: receivers.target,
      isEnabled: receivers.isEnabled,
      removedAt: receivers.removedAt,
    })
    .from(deliveries)
    .innerJoin(receivers, eq(receivers.number, deliveries.receiver))
    .where(byKey)
    .prepare()
  const makeDue = db
    .update(deliveries)
    .set({
      state: literal('pending'),
      dueAt: literal(0),
      count: sql`iif(${isToVisitor}, null, ${deliveries.count})`,
      endsAt: given('endsAt'),
      reason: literal(null),
    })
    .where(byKey)
    .prepare()
  const dismiss = db
    .update(deliveries)
    .set({ state: literal('skipped'), reason: literal('dismissed') })
    .where(byKey)
    .prepare()
  const count = deliveryCounter(db)

  type Found = NonNullable<ReturnType<typeof find.get>>

  /** Why a reply must not be sent now by hand; null if nothing is against it. */
  const toRefusal = ({ state, reason }: Found, reply: Reply): string | null => {
    if (reason === 'notify' || reason === 'withdrawn' || reason === 'confirmed') return refusals[reason]
    const refusal = state === 'pending' ? null : replies.refusal(reply)
    return refusal && refusals[refusal]
  }

  /** Counts a mail that the address would not get now, as one about another submission, or as another digest. */
  const countMail = ({ kind, state, receiverTarget }: Found, now: number): void => {
    const { counts } = deliveryKinds[kind]
    // A mail was counted when it was added; a digest is due at the end of an hour, and now of another one.
    if (counts === null || (counts === 'mail' && state !== 'delivered')) return
    const hours = readMailHours()
    const hour = hours.at(receiverTarget, now)
    const isWithinIt = counts === 'digest' ? hour.addDigest() <= hour.startsAt + hourMilliseconds : hour.add()
    if (!isWithinIt) throw invalid({ field: 'deliveryId', message: refusals.hour })
    hours.save()
  }

  return {
    /**
     * Makes a delivery due now, also one that was delivered. One that failed after its last attempt gets one more. A
     * reply has to be within the limits, and is given once. A mail counts as one about another submission.
     *
     * @throws AppErrors `not_found` and `forbidden` for the form, `not_found` for the delivery, `invalid` if its
     *   receiver gets none
     */
    retryDelivery({ userId, formId, id, now }: OfDelivery): void {
      const { number: formNumber } = findFormTo('deliver', userId, formId)
      const found = find.get({ form: formNumber, id })
      if (!found) throw notFound('Delivery')
      if (found.removedAt !== null)
        throw invalid({ field: 'deliveryId', message: 'must be a delivery to a receiver that the form still has' })
      if (!found.isEnabled)
        throw invalid({ field: 'deliveryId', message: 'must be a delivery to a webhook that is switched on' })
      const { receiver, state, target: address } = found
      const { onlyOnce } = deliveryKinds[found.kind]
      if (onlyOnce !== null && state === 'delivered') throw invalid({ field: 'deliveryId', message: onlyOnce })
      if (address !== null) {
        const refused = toRefusal(found, { form: formNumber, id, address, at: now })
        if (refused !== null) throw invalid({ field: 'deliveryId', message: refused })
      }
      countMail(found, now)
      makeDue.run({ form: formNumber, id, endsAt: address === null ? null : now + replyMilliseconds })
      if (state === 'pending') return
      if (address !== null) replies.count({ form: formNumber, id, address, at: now })
      count(receiver, state, 'pending')
    },

    /**
     * Makes a delivery that failed for good one that is not sent, so that it is no more counted as failed. Any other stays as
     * it is.
     *
     * @throws AppErrors `not_found` and `forbidden` for the form, `not_found` for the delivery
     */
    dismissDelivery({ userId, formId, id }: OfForm & { readonly id: string }): void {
      const { number: form } = findFormTo('deliver', userId, formId)
      const found = find.get({ form, id })
      if (!found) throw notFound('Delivery')
      if (found.state !== 'failed') return
      dismiss.run({ form, id })
      count(found.receiver, 'failed', 'skipped')
    },

    /** See `retryAllSlice`. @throws AppErrors `not_found` and `forbidden` for the form, `invalid` for the receiver */
    retryDeliveries: ({ userId, formId, ...slice }: OfDeliveries) =>
      retryAll({ form: findFormTo('deliver', userId, formId).number, ...slice }),
  }
}

const refusals = {
  hour: `must not be another email to an address that gets ${mailsPerHour} within an hour`,
  notify: 'must not be a reply to an address that gets the notifications',
  withdrawn: 'must not be an email to someone who has said that another person sent the form',
  confirmed: 'must not be an email to confirm an address of which nothing is held any more',
  stopped: 'must not be a reply to an address whose recipient has stopped all emails from this server',
  form_address: 'must not be a second reply of this form to one address within 24 hours',
  server_address: `must not be more than ${repliesToPerson} replies to one address within 24 hours`,
  form_hour: `must not be more than ${repliesPerHour} replies of this form within an hour`,
  form_day: `must not be more than ${repliesPerDay} replies of this form within 24 hours`,
  user_hour: `must not be more than ${repliesOfUserPerHour} replies of all forms of one user within an hour`,
  user_day: `must not be more than ${repliesOfUserPerDay} replies of all forms of one user within 24 hours, or ${repliesOfNewUserPerDay} while the account is younger than a day`,
} as const

interface RetrySlice {
  /** Number of the form. */
  readonly form: number
  /** Identifier of the only receiver that they are to; absent for all. */
  readonly receiverId?: string | undefined
  /** Unix milliseconds. */
  readonly now: number
  /** The `next` of the slice before; at first `retryStart`. */
  readonly after: RetryPosition
  /** How many rows to make due, at most. */
  readonly maxRows: number
}

/** The failed delivery that was made due last: the number of its receiver, and its identifier. */
interface RetryPosition {
  readonly receiver: number
  readonly id: string
}

export const retryStart: RetryPosition = { receiver: 0, id: '' }

export interface Retried {
  readonly count: number
  /** Where to continue; null at the end. */
  readonly next: RetryPosition | null
}

/**
 * Makes undelivered rows due now, receiver by receiver: those that have failed, and those that wait for their next attempt.
 * Rows of receivers that are switched off stay as they are, and so do replies that have failed: most have a wrong address.
 * New submissions still come first: they are due since 0.
 */
const retryAllSlice = (db: Db): ((slice: RetrySlice) => Retried) => {
  const receiversOf = receiverReader(db)
  const { failed, waiting, makeDue } = statements(db)
  const count = deliveryCounter(db)

  return ({ form, receiverId, now, after, maxRows }) => {
    const asked = receiversOf(form).filter(({ id }) => receiverId === undefined || id === receiverId)
    // Later, it was taken away between two slices: that is the end.
    if (receiverId !== undefined && asked.length === 0 && after.receiver === retryStart.receiver)
      throw invalid({ field: 'receiverId', message: 'must be a receiver that the form has' })
    const enabled = asked.filter(({ isEnabled, number }) => isEnabled && number >= after.receiver)
    let rest = maxRows
    for (const { number: receiver, kind } of enabled) {
      // What fails again meanwhile is not retried twice.
      const id = receiver === after.receiver ? after.id : ''
      const again = !receiverKinds[kind].isAlarming ? [] : failed.all({ receiver, id, limit: rest })
      const later = waiting.all({ receiver, now, limit: rest - again.length })
      for (const row of [...again, ...later]) makeDue.run({ form, id: row.id, now })
      count(receiver, 'failed', 'pending', again.length)
      rest -= again.length + later.length
      if (rest === 0) return { count: maxRows, next: { receiver, id: again.at(-1)?.id ?? id } }
    }
    return { count: maxRows - rest, next: null }
  }
}

const statements = (db: Db) => {
  const makeDue = db
    .update(deliveries)
    .set({ state: literal('pending'), dueAt: given('now') })
    .where(and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id'))))
    .prepare()
  return { failed: failed(db), waiting: waiting(db), makeDue }
}

const failed = statement(
  `SELECT id FROM deliveries
  WHERE receiver = $receiver AND id > $id AND state = 'failed'
  ORDER BY id LIMIT $limit`,
  { id: deliveries.id },
)

/**
 * Neither those that are being attempted, nor digests whose hour has not ended. Attempts that failed because the settings are
 * wrong are in the log alone.
 */
const waiting = statement(
  `SELECT id FROM deliveries
  WHERE receiver = $receiver AND due_at > $now AND state = 'pending' AND (attempts > 0 OR log <> '[]')
    AND claimed_by IS NULL
  ORDER BY due_at, form, id LIMIT $limit`,
  { id: deliveries.id },
)

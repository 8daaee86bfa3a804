import { and, asc, eq, gte, isNull, lte } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { afterEveryId, commonStart } from '../base/id.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import {
  confirmations,
  confirmDays,
  deliveries,
  given,
  is,
  literal,
  param,
  receivers,
  replies,
} from '../storage/tables.ts'
import { deliveryCounter } from './counts.ts'
import { type Answerable, type Reply, replyLimits, type SkipReason, visitorMailEnqueuer } from './replies.ts'

/** A submission whose address has to be confirmed. */
interface ToConfirm extends Answerable {
  /** Whether this person has said that it was someone else who had sent the form. */
  readonly hasWithdrawn: boolean
}

/**
 * The mails with the link that confirms an address. They count as replies: the reply that follows does not. Must run in the
 * transaction that stores, moves or removes the submissions.
 */
export const confirmMails = oncePerConnection((db: Db) => {
  const { receiverOf, idOf, skip, markConfirmed } = statements(db)
  const { refusal, isRefused } = replyLimits(db)
  const enqueue = visitorMailEnqueuer(db, 'confirm')
  const countDeliveries = deliveryCounter(db)

  return {
    /** Adds a mail for each. Returns whether one is due. */
    add(form: number, submissions: readonly ToConfirm[]): boolean {
      const receiver = receiverOf.get({ form })?.number
      if (receiver === undefined) return false
      const toReason = (reply: Reply, { hasWithdrawn }: ToConfirm): SkipReason | null => {
        if (hasWithdrawn) return 'withdrawn'
        return isRefused(reply.address) ? 'refused' : refusal(reply, 'again if confirmed')
      }
      return enqueue(form, receiver, submissions, toReason) > 0
    },

    /** What is no longer held needs no mail, and the form may write to the person again if the address is confirmed. */
    end(form: number, submission: string, isConfirmed: boolean): void {
      const from = commonStart(submission)
      const about = { form, submission, from, to: from + afterEveryId }
      for (const state of ['pending', 'failed'] as const)
        for (const { receiver } of skip.all({ ...about, state })) countDeliveries(receiver, state, 'skipped')
      if (isConfirmed) for (const { id } of idOf.all(about)) markConfirmed.run({ id })
    },
  }
})

const statements = (db: Db) => {
  const receiverOf = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), is(receivers.kind, 'confirm'), isNull(receivers.removedAt)))
    .orderBy(asc(receivers.number))
    .limit(1)
    .prepare()
  const ofSubmission = and(
    eq(deliveries.form, param('form')),
    gte(deliveries.id, param('from')),
    lte(deliveries.id, param('to')),
    eq(deliveries.submission, param('submission')),
    is(deliveries.kind, 'confirm'),
  )
  const idOf = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(ofSubmission)
    .orderBy(asc(deliveries.id))
    .prepare()
  const skip = db
    .update(deliveries)
    .set({ state: literal('skipped'), reason: literal('confirmed') })
    .where(and(ofSubmission, eq(deliveries.state, param('state'))))
    .returning({ receiver: deliveries.receiver })
    .prepare()
  const markConfirmed = db
    .update(replies)
    .set({ isConfirmed: literal(1) })
    .where(eq(replies.id, param('id')))
    .prepare()
  return { receiverOf, idOf, skip, markConfirmed }
}

/** Writes down when the mail server took the mail. */
export const confirmMailed = oncePerConnection((db: Db) => {
  const mark = db
    .update(confirmations)
    .set({ mailedAt: given('at') })
    .where(
      and(
        eq(confirmations.form, param('form')),
        eq(confirmations.submission, param('submission')),
        isNull(confirmations.mailedAt),
      ),
    )
    .prepare()
  const countDay = confirmDayCounter(db)
  return (form: number, submission: string, at: number): void => {
    if (changesOf(mark.run({ form, submission, at })) > 0) countDay(form, at, 'mailed')
  }
})

/** Days of which is counted what became of mails. */
export const countedDays = 30

/** Counts by days what became of the mails of a form. */
export const confirmDayCounter = oncePerConnection(
  (db: Db): ((form: number, at: number, what: 'mailed' | 'confirmed' | 'withdrawn', by?: number) => void) => {
    const count = countDay(db)
    const forget = db
      .delete(confirmDays)
      .where(and(eq(confirmDays.form, param('form')), lte(confirmDays.day, given('before'))))
      .prepare()
    return (form, at, what, by = 1) => {
      const none = { mailed: 0, confirmed: 0, withdrawn: 0 }
      const day = Math.floor(at / dayMilliseconds)
      count.run({ form, day, ...none, [what]: by })
      forget.run({ form, before: day - countedDays })
    }
  },
)

const countDay = statement(`
  INSERT INTO confirm_days (form, day, mailed, confirmed, withdrawn) VALUES ($form, $day, $mailed, $confirmed, $withdrawn)
  ON CONFLICT (form, day) DO UPDATE SET
    mailed = mailed + excluded.mailed, confirmed = confirmed + excluded.confirmed, withdrawn = withdrawn + excluded.withdrawn`)

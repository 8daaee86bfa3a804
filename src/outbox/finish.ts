import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import { type Attempt, withAttempt } from './attempt.ts'
import { receiverSwitch } from './receivers.ts'
import { patienceMilliseconds } from './schedule.ts'

/**
 * What becomes of a delivery after an attempt. One that the server broke off does not count, and is due at once. One that
 * could not reach the receiver, because this server is set up wrongly, does not count either.
 */
export interface Finished {
  readonly form: number
  readonly id: string
  /** The number of the attempt, so that one that counted as lost changes nothing when it ends after all. */
  readonly attempt: number
  readonly outcome: 'delivered' | 'failed' | { readonly dueAt: number; readonly isUncounted?: boolean } | 'brokenOff'
  readonly log: Attempt
  /** Why the receiver is to be switched off; null if it is not. */
  readonly disabledReason: string | null
}

/** Ends attempts. A delivery that is gone, or that somebody else has claimed since, is left alone. */
export const finisher = (db: Db) => {
  const { find, end, undo, succeeded, stillFailing } = statements(db)
  const { disable } = receiverSwitch(db)

  const finish = ({ form, id, attempt, outcome, log, disabledReason }: Finished): void => {
    const found = find.get({ form, id, attempt })
    if (!found) return
    const { receiver: number, state: before } = found
    if (outcome === 'brokenOff') {
      if (before === 'pending') undo.run({ form, id })
      return
    }
    // One that failed already was given up meanwhile (see give-up.ts).
    const state = typeof outcome === 'string' ? outcome : before
    const dueAt = typeof outcome === 'string' ? 0 : outcome.dueAt
    const uncounted = Number(typeof outcome === 'object' && outcome.isUncounted === true)
    end.run({ form, id, state, dueAt, log: withAttempt(found.log, log), uncounted })
    if (state === 'delivered') {
      succeeded.run({ number, pending: Number(before === 'pending'), failed: Number(before === 'failed') })
      return
    }
    const isGivenUp = state === 'failed' && before === 'pending'
    const failing = stillFailing.get({ number, at: log.at, failed: Number(isGivenUp) })
    if (!failing?.isEnabled || failing.kind !== 'webhook') return
    // Not before a delivery has used up its schedule: where the clock jumps ahead, as on a machine without a clock of its
    // own, five days pass in a second.
    const isHopeless = isGivenUp && log.at - (failing.failingSince ?? log.at) >= patienceMilliseconds
    if (disabledReason !== null) disable(number, disabledReason)
    else if (isHopeless) disable(number, 'Every delivery of the last five days failed.')
  }

  return (finished: readonly Finished[]): void => finished.forEach(finish)
}

const statements = (db: Db) => {
  const delivery = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const find = db
    .select({ receiver: deliveries.receiver, state: deliveries.state, log: deliveries.log })
    .from(deliveries)
    .where(and(delivery, eq(deliveries.attempts, param('attempt')), sql`${deliveries.state} <> 'delivered'`))
    .prepare()
  const end = db
    .update(deliveries)
    .set({
      state: sql`${param('state')}`,
      dueAt: sql`${param('dueAt')}`,
      log: sql`${param('log')}`,
      attempts: sql`${deliveries.attempts} - ${param('uncounted')}`,
      claimedBy: sql`null`,
    })
    .where(delivery)
    .prepare()
  const undo = db
    .update(deliveries)
    .set({ dueAt: sql`0`, attempts: sql`${deliveries.attempts} - 1`, claimedBy: sql`null` })
    .where(delivery)
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const succeeded = db
    .update(receivers)
    .set({
      failingSince: sql`null`,
      pendingCount: sql`${receivers.pendingCount} - ${param('pending')}`,
      failedCount: sql`${receivers.failedCount} - ${param('failed')}`,
      deliveredCount: sql`${receivers.deliveredCount} + 1`,
    })
    .where(byNumber)
    .prepare()
  const stillFailing = db
    .update(receivers)
    .set({
      failingSince: sql`coalesce(${receivers.failingSince}, ${param('at')})`,
      pendingCount: sql`${receivers.pendingCount} - ${param('failed')}`,
      failedCount: sql`${receivers.failedCount} + ${param('failed')}`,
    })
    .where(byNumber)
    .returning({ kind: receivers.kind, isEnabled: receivers.isEnabled, failingSince: receivers.failingSince })
    .prepare()
  return { find, end, undo, succeeded, stillFailing }
}

import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import { type Attempt, withAttempt } from './attempt.ts'
import { receiverSwitch } from './receivers.ts'
import { patienceMilliseconds } from './schedule.ts'

/** What becomes of a delivery after an attempt. */
export interface Finished {
  readonly form: number
  readonly id: string
  /** The number of the attempt, so that one that counted as lost changes nothing when it ends after all. */
  readonly attempt: number
  readonly outcome: 'delivered' | 'failed' | { readonly dueAt: number }
  readonly log: Attempt
  /** Why the receiver is to be switched off; null if it is not. */
  readonly disabledReason: string | null
}

/** Ends attempts. A delivery that is gone, or that somebody else has claimed since, is left alone. */
export const finisher = (db: Db) => {
  const { find, end, succeeded, stillFailing } = statements(db)
  const { disable } = receiverSwitch(db)

  const finish = ({ form, id, attempt, outcome, log, disabledReason }: Finished): void => {
    const found = find.get({ form, id, attempt })
    if (!found) return
    const { receiver: number } = found
    const state = typeof outcome === 'string' ? outcome : 'pending'
    end.run({
      form,
      id,
      state,
      dueAt: typeof outcome === 'string' ? 0 : outcome.dueAt,
      log: withAttempt(found.log, log),
    })
    if (state === 'delivered') {
      succeeded.run({ number })
      return
    }
    const failing = stillFailing.get({ number, at: log.at, failed: Number(state === 'failed') })
    if (!failing?.isEnabled || failing.kind !== 'webhook') return
    const isHopeless = log.at - (failing.failingSince ?? log.at) >= patienceMilliseconds
    if (disabledReason !== null) disable(number, disabledReason)
    else if (isHopeless) disable(number, 'Every delivery of the last five days failed.')
  }

  return (finished: readonly Finished[]): void => finished.forEach(finish)
}

const statements = (db: Db) => {
  const delivery = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const find = db
    .select({ receiver: deliveries.receiver, log: deliveries.log })
    .from(deliveries)
    .where(and(delivery, eq(deliveries.attempts, param('attempt')), sql`${deliveries.state} = 'pending'`))
    .prepare()
  const end = db
    .update(deliveries)
    .set({ state: sql`${param('state')}`, dueAt: sql`${param('dueAt')}`, log: sql`${param('log')}` })
    .where(delivery)
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const succeeded = db
    .update(receivers)
    .set({
      failingSince: sql`null`,
      pendingCount: sql`${receivers.pendingCount} - 1`,
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
  return { find, end, succeeded, stillFailing }
}

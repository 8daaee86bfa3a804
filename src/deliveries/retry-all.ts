import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import { afterEveryId } from '../id.ts'
import { receiverReader } from '../outbox/receivers.ts'

interface Slice {
  /** Number of the form. */
  readonly form: number
  /** Unix milliseconds. */
  readonly now: number
  /** Failed deliveries up to this identifier were looked at. */
  readonly after: string
  /** How many rows to look at, at most. */
  readonly maxRows: number
}

export interface Retried {
  readonly count: number
  /** Where to continue; null at the end. */
  readonly next: string | null
}

/**
 * Makes undelivered rows due now: first those that have failed, then those that wait for their next attempt. Rows of
 * receivers that are switched off stay as they are. New submissions still come first: they are due since 0.
 */
export const retryAllSlice = (db: Db): ((slice: Slice) => Retried) => {
  const receiversOf = receiverReader(db)
  const { failed, waiting, makeDue, count } = statements(db)

  return ({ form, now, after, maxRows }) => {
    const told = receiversOf(form).filter(({ isEnabled }) => isEnabled)
    const hasFailed = told.some(({ failedCount }) => failedCount > 0)
    const rows = hasFailed ? failed.all({ form, after, limit: maxRows }) : []
    const numbers = new Set(told.map(({ number }) => number))
    const retried = rows.filter(({ receiver }) => numbers.has(receiver))
    for (const { id } of retried) makeDue.run({ form, id, now })
    for (const [receiver, { length }] of Map.groupBy(retried, (row) => row.receiver))
      count.run({ receiver, by: length })
    if (rows.length === maxRows) return { count: retried.length, next: rows.at(-1)?.id ?? afterEveryId }

    let rest = maxRows - rows.length
    for (const { number: receiver } of told) {
      const later = waiting.all({ receiver, now, limit: rest })
      for (const { id } of later) makeDue.run({ form, id, now })
      rest -= later.length
      if (rest === 0) break
    }
    const waited = maxRows - rows.length - rest
    return { count: retried.length + waited, next: rest === 0 ? afterEveryId : null }
  }
}

const statements = (db: Db) => {
  const failed = db
    .select({ id: deliveries.id, receiver: deliveries.receiver })
    .from(deliveries)
    .where(
      and(eq(deliveries.form, param('form')), gt(deliveries.id, param('after')), sql`${deliveries.state} = 'failed'`),
    )
    .orderBy(asc(deliveries.id))
    .limit(param('limit'))
    .prepare()
  // Neither those that are being attempted, nor digests whose hour has not ended.
  const waiting = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.receiver, param('receiver')),
        gt(deliveries.dueAt, param('now')),
        sql`${deliveries.state} = 'pending'`,
        gt(deliveries.attempts, sql`0`),
        isNull(deliveries.claimedBy),
      ),
    )
    .orderBy(asc(deliveries.dueAt), asc(deliveries.form), asc(deliveries.id))
    .limit(param('limit'))
    .prepare()
  const makeDue = db
    .update(deliveries)
    .set({ state: sql`'pending'`, dueAt: sql`${param('now')}` })
    .where(and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id'))))
    .prepare()
  const count = db
    .update(receivers)
    .set({
      pendingCount: sql`${receivers.pendingCount} + ${param('by')}`,
      failedCount: sql`${receivers.failedCount} - ${param('by')}`,
    })
    .where(eq(receivers.number, param('receiver')))
    .prepare()
  return { failed, waiting, makeDue, count }
}

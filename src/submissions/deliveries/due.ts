import { and, asc, gt } from 'drizzle-orm'
import { creationTime } from '../../base/id.ts'
import type { Db } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import { deliveries, is, param } from '../../storage/tables.ts'

/** Deliveries that should be under way already. */
export interface Due {
  /** At most 100,000, of 1,000 receivers: more are not counted. */
  readonly count: number
  /** Unix milliseconds; null if nothing is due. */
  readonly oldestAt: number | null
}

/** A receiver takes 9 µs of the main thread, and 100,000 deliveries take 3 ms. */
const maxReceivers = 1000
const maxCounted = 100_000

/** Counts receiver by receiver, as the index has them: what is put off is skipped, however much that is. */
export const dueReader = (db: Db): ((now: number) => Due) => {
  const { firstWaiting, countDue } = statements(db)

  return (now) => {
    let count = 0
    let oldestAt: number | null = null
    let after = 0
    for (let looked = 0; looked < maxReceivers && count < maxCounted; looked++) {
      const first = firstWaiting.get({ after })
      if (!first) break
      after = first.receiver
      if (first.dueAt > now) continue
      count += countDue.get({ receiver: after, now, limit: maxCounted - count })?.count ?? 0
      // 0 is at once: since the submission came in.
      const dueAt = first.dueAt || creationTime(first.id)
      oldestAt = oldestAt === null ? dueAt : Math.min(oldestAt, dueAt)
    }
    return { count, oldestAt }
  }
}

const statements = (db: Db) => {
  const isPending = is(deliveries.state, 'pending')
  const firstWaiting = db
    .select({ receiver: deliveries.receiver, dueAt: deliveries.dueAt, id: deliveries.id })
    .from(deliveries)
    .where(and(isPending, gt(deliveries.receiver, param('after'))))
    .orderBy(asc(deliveries.receiver), asc(deliveries.dueAt))
    .limit(1)
    .prepare()
  return { firstWaiting, countDue: countDue(db) }
}

const countDue = statement(
  `SELECT count(*) AS count FROM (
    SELECT 1 FROM deliveries WHERE state = 'pending' AND receiver = $receiver AND due_at <= $now LIMIT $limit) AS due`,
  { count: computed<number>() },
)

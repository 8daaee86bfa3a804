import { eq, sql } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { type deliveries, param, receivers } from '../storage/tables.ts'

type State = typeof deliveries.$inferSelect.state

/** All deliveries of a receiver. */
export const deliveryCount = sql<number>`${receivers.pendingCount} + ${receivers.deliveredCount} + ${receivers.failedCount} + ${receivers.skippedCount}`

/**
 * Counts deliveries that went from one state to another, which every write of `deliveries.state` has to say.
 * `test/storage/sound.ts` compares the counts with the rows.
 */
export const deliveryCounter = oncePerConnection((db: Db) => {
  const add = db
    .update(receivers)
    .set({
      pendingCount: sql`${receivers.pendingCount} + ${param('pending')}`,
      deliveredCount: sql`${receivers.deliveredCount} + ${param('delivered')}`,
      failedCount: sql`${receivers.failedCount} + ${param('failed')}`,
      skippedCount: sql`${receivers.skippedCount} + ${param('skipped')}`,
    })
    .where(eq(receivers.number, param('receiver')))
    .prepare()

  /**
   * @param from null for those that were added
   * @param to null for those that were removed
   */
  return (receiver: number, from: State | null, to: State | null, count = 1): void => {
    if (from === to || count === 0) return
    const by = { pending: 0, delivered: 0, failed: 0, skipped: 0 }
    if (from !== null) by[from] = -count
    if (to !== null) by[to] = count
    add.run({ receiver, ...by })
  }
})

import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'

/** What one write may give up. */
const sliceRows = 200

/** Deliveries to a receiver that was switched off or taken away, or whose user is disabled, fail: a slice of them. */
export const giveUpSlice = (db: Db): ((receiver: number) => void) => {
  const some = db
    .select({ form: deliveries.form, id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.receiver, param('receiver')), sql`${deliveries.state} = 'pending'`))
    .orderBy(asc(deliveries.dueAt), asc(deliveries.form), asc(deliveries.id))
    .limit(sliceRows)
    .prepare()
  const fail = db
    .update(deliveries)
    .set({ state: sql`'failed'` })
    .where(and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id'))))
    .prepare()
  const count = db
    .update(receivers)
    .set({
      pendingCount: sql`${receivers.pendingCount} - ${param('by')}`,
      failedCount: sql`${receivers.failedCount} + ${param('by')}`,
    })
    .where(eq(receivers.number, param('receiver')))
    .prepare()
  return (receiver) => {
    const rows = some.all({ receiver })
    for (const row of rows) fail.run(row)
    count.run({ receiver, by: rows.length })
  }
}

import { sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, receivers } from '../db/tables.ts'

/** Whether there is anything to do, so that a server that tells nobody gives the writer no commands for nothing. */
export const outboxReads = (db: Db) => {
  const pending = db
    .select({ form: deliveries.form })
    .from(deliveries)
    .where(sql`${deliveries.state} = 'pending'`)
    .limit(1)
    .prepare()
  const receiver = db.select({ number: receivers.number }).from(receivers).limit(1).prepare()
  return {
    hasPending: (): boolean => pending.get() !== undefined,
    hasReceivers: (): boolean => receiver.get() !== undefined,
  }
}

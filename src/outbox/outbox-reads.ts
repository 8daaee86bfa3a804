import { sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, receivers } from '../db/tables.ts'

/** Spares a server that tells nobody the commands of the outbox, whose statements take 1 MB. */
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

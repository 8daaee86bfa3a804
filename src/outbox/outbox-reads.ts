import { sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { addresses, deliveries, receivers } from '../db/tables.ts'

/** Whether there is anything to do, so that a server that tells nobody gives the writer no commands for nothing. */
export const outboxReads = (db: Db) => {
  const pending = db
    .select({ form: deliveries.form })
    .from(deliveries)
    .where(sql`${deliveries.state} = 'pending'`)
    .limit(1)
    .prepare()
  const receiver = db.select({ number: receivers.number }).from(receivers).limit(1).prepare()
  const address = db.select({ address: addresses.address }).from(addresses).limit(1).prepare()
  return {
    hasPending: (): boolean => pending.get() !== undefined,
    /** Or addresses that were told. */
    hasReceivers: (): boolean => receiver.get() !== undefined || address.get() !== undefined,
  }
}

import { eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { jobLeases, param } from '../db/tables.ts'

interface LeaseInput {
  readonly job: string
  /** Name of the machine that asks. */
  readonly node: string
  /** Unix milliseconds. */
  readonly now: number
  readonly milliseconds: number
}

export type LeaseWrites = ReturnType<typeof leaseWrites>

export const leaseWrites = (db: Db) => {
  const find = db
    .select({ node: jobLeases.node, until: jobLeases.until })
    .from(jobLeases)
    .where(eq(jobLeases.job, param('job')))
    .prepare()

  return {
    /**
     * Gives the job to the machine that asks, if no other one has it, for a time.
     *
     * @returns until when which machine has it
     */
    leaseJob({ job, node, now, milliseconds }: LeaseInput): { node: string; until: number } {
      const held = find.get({ job })
      // What lies further ahead than any lease was written while a clock was wrong.
      if (held && held.node !== node && held.until > now && held.until <= now + milliseconds) return held
      const lease = { node, until: now + milliseconds }
      db.insert(jobLeases)
        .values({ job, ...lease })
        .onConflictDoUpdate({ target: jobLeases.job, set: lease })
        .run()
      return lease
    },
  }
}

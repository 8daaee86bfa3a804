import { eq } from 'drizzle-orm'
import type { Db } from '../open.ts'
import { jobLeases, param } from '../tables.ts'

interface LeaseInput {
  readonly job: string
  /** Name of the machine that asks. */
  readonly node: string
  /** Unix milliseconds. */
  readonly now: number
  readonly milliseconds: number
}

interface Held {
  readonly node: string
  /** Unix milliseconds. */
  readonly until: number
}

/** Finds which other machine has a job, and until when; undefined if none has. */
export const leaseReader = (db: Db): ((input: LeaseInput) => Held | undefined) => {
  const find = db
    .select({ node: jobLeases.node, until: jobLeases.until })
    .from(jobLeases)
    .where(eq(jobLeases.job, param('job')))
    .prepare()
  return ({ job, node, now, milliseconds }) => {
    const held = find.get({ job })
    // What lies further ahead than any lease was written while a clock was wrong.
    const isOther = held && held.node !== node && held.until > now && held.until <= now + milliseconds
    return isOther ? held : undefined
  }
}

export type LeaseWrites = ReturnType<typeof leaseWrites>

export const leaseWrites = (db: Db) => {
  const findOther = leaseReader(db)

  return {
    /**
     * Gives the job to the machine that asks, if no other one has it, for a time.
     *
     * @returns until when which machine has it
     */
    leaseJob(input: LeaseInput): Held {
      const { job, node, now, milliseconds } = input
      const other = findOther(input)
      if (other) return other
      const lease = { node, until: now + milliseconds }
      db.insert(jobLeases)
        .values({ job, ...lease })
        .onConflictDoUpdate({ target: jobLeases.job, set: lease })
        .run()
      return lease
    },
  }
}

import { minuteMilliseconds } from '../../base/durations.ts'
import { type LeaseWrites, leaseReader } from '../../storage/cluster/lease-writes.ts'
import type { Db } from '../../storage/open.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { JobOptions } from './job.ts'

interface Options {
  readonly db: Db
  readonly writer: Writer<LeaseWrites>
  /** Name of this machine. */
  readonly node: string
  readonly now: () => number
}

/** Longer than the hour after which a job looks for work again, so that a machine keeps it while it runs. */
const leaseMilliseconds = 75 * minuteMilliseconds
/** Time left of a lease when it is renewed. */
const renewMilliseconds = 15 * minuteMilliseconds

/** Gives each job to one machine of a cluster, as long as it runs. When it is gone, another one takes over. */
export const openLease = ({ db, writer, node, now }: Options): NonNullable<JobOptions['lease']> => {
  const findOther = leaseReader(db)
  const ends = new Map<string, number>()
  const isHeld = (job: string): boolean => {
    const left = (ends.get(job) ?? 0) - now()
    return left > renewMilliseconds && left <= leaseMilliseconds
  }

  return async (job) => {
    if (isHeld(job)) return null
    const asked = { job, node, now: now(), milliseconds: leaseMilliseconds }
    // A command is a row in the log, also one that finds this.
    const held = findOther(asked) ?? (await writer.run('leaseJob', asked))
    if (held.node !== node) return held.until
    ends.set(job, held.until)
    return null
  }
}

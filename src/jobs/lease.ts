import type { LeaseWrites } from '../cluster/lease-writes.ts'
import type { Writer } from '../db/writer/writer.ts'
import { minuteMilliseconds } from '../durations.ts'
import type { JobOptions } from './job.ts'

interface Options {
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
export const openLease = ({ writer, node, now }: Options): NonNullable<JobOptions['lease']> => {
  const ends = new Map<string, number>()
  const isHeld = (job: string): boolean => {
    const left = (ends.get(job) ?? 0) - now()
    return left > renewMilliseconds && left <= leaseMilliseconds
  }

  return async (job) => {
    if (isHeld(job)) return null
    const held = await writer.run('leaseJob', { job, node, now: now(), milliseconds: leaseMilliseconds })
    if (held.node !== node) return held.until
    ends.set(job, held.until)
    return null
  }
}

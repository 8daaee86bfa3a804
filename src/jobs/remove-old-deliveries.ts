import type { Writer } from '../db/writer/writer.ts'
import { timePrefix } from '../id.ts'
import type { OutboxWrites, SweepPosition } from '../outbox/outbox-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<OutboxWrites>
  readonly hasReceivers: () => boolean
}

const dayMilliseconds = 86_400_000
const keepDeliveredMilliseconds = 30 * dayMilliseconds
const keepFailedMilliseconds = 90 * dayMilliseconds
/** What one write looks at: it takes about 2 ms. */
const maxRows = 500

/** Removes deliveries 30 days after their submission if they were delivered, after 90 if they failed: once a day. */
export const removeOldDeliveries = ({ writer, hasReceivers, now, ...options }: Options): Job => {
  const start: SweepPosition = { form: 0, from: '' }
  let position = start
  return createJob({
    ...options,
    task: 'remove old deliveries',
    now,
    async step() {
      if (!hasReceivers()) return now() + dayMilliseconds
      const next = await writer.run('removeOldDeliveries', {
        ...position,
        deliveredBefore: timePrefix(now() - keepDeliveredMilliseconds),
        failedBefore: timePrefix(now() - keepFailedMilliseconds),
        maxRows,
      })
      position = next ?? start
      return next ? now() : now() + dayMilliseconds
    },
  })
}

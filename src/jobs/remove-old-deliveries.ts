import type { Writer } from '../db/writer/writer.ts'
import { dayMilliseconds, hourMilliseconds } from '../durations.ts'
import { timePrefix } from '../id.ts'
import type { OutboxWrites, SweepPosition } from '../outbox/outbox-writes.ts'
import type { SubmissionWrites } from '../submissions/submission-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<OutboxWrites & Pick<SubmissionWrites, 'checkClock'>>
  readonly hasReceivers: () => boolean
}

const keepDeliveredMilliseconds = 30 * dayMilliseconds
const keepFailedMilliseconds = 90 * dayMilliseconds
/** What one write looks at: it takes about 2 ms. */
const maxForms = 500
const maxRows = 500

interface Sweep extends SweepPosition {
  /** When it began. What becomes too old meanwhile, or because the clock is set, is left to the next one. */
  readonly now: number
}

/** Removes deliveries 30 days after their submission if they were delivered, after 90 if they failed: once an hour. */
export const removeOldDeliveries = ({ writer, hasReceivers, now, ...options }: Options): Job => {
  let sweep: Sweep | null = null

  const begin = async (at: number): Promise<Sweep | null> => {
    if (!hasReceivers() || !(await writer.run('checkClock', { now: at }))) return null
    return { now: at, form: 0, from: '' }
  }

  const goOn = async ({ now: at, form, from }: Sweep): Promise<Sweep | null> => {
    const next = await writer.run('removeOldDeliveries', {
      now: at,
      form,
      from,
      deliveredBefore: timePrefix(Math.max(0, at - keepDeliveredMilliseconds)),
      failedBefore: timePrefix(Math.max(0, at - keepFailedMilliseconds)),
      maxForms,
      maxRows,
    })
    return next && { now: at, ...next }
  }

  return createJob({
    ...options,
    task: 'remove old deliveries',
    now,
    async step() {
      sweep = sweep ? await goOn(sweep) : await begin(now())
      return sweep ? now() : now() + hourMilliseconds
    },
  })
}

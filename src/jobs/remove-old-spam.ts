import type { Writer } from '../db/writer/writer.ts'
import type { SpamPosition } from '../spam/removal.ts'
import type { SpamWrites } from '../spam/spam-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds'> {
  readonly writer: Writer<SpamWrites>
  readonly hasSpam: () => boolean
  /** Called after long submissions were deleted. Their pieces still have to be removed. */
  readonly onDeleted: () => void
}

const hourMilliseconds = 3_600_000
/** What one write looks at: other writes wait meanwhile. */
const maxRows = 200

/** Deletes spam after the days that each form's settings say: once an hour. */
export const removeOldSpam = ({ writer, hasSpam, now, onDeleted, ...options }: Options): Job => {
  const start: SpamPosition = { spamForm: 0, from: '' }
  let position = start
  return createJob({
    ...options,
    task: 'remove old spam',
    now,
    async step() {
      if (!hasSpam()) return now() + hourMilliseconds
      const { next, isMoreLeft } = await writer.run('removeOldSpam', { ...position, now: now(), maxRows })
      if (isMoreLeft) onDeleted()
      position = next ?? start
      return next ? now() : now() + hourMilliseconds
    },
  })
}

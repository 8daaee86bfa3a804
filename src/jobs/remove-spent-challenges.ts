import type { ChallengeWrites } from '../challenge/challenge-writes.ts'
import type { Writer } from '../db/writer/writer.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<ChallengeWrites>
  readonly hasSpent: () => boolean
}

const hourMilliseconds = 3_600_000
/** What one write removes: it takes about 2 ms. */
const maxRows = 500

/**
 * Removes the challenges that were used and have expired: once an hour. They stay for an hour longer than they could be
 * used, in case the clock is set back.
 */
export const removeSpentChallenges = ({ writer, hasSpent, now, ...options }: Options): Job =>
  createJob({
    ...options,
    task: 'remove used challenges',
    now,
    async step() {
      if (!hasSpent()) return now() + hourMilliseconds
      const isMoreLeft = await writer.run('removeSpentChallenges', { now: now() - hourMilliseconds, maxRows })
      return isMoreLeft ? now() : now() + hourMilliseconds
    },
  })

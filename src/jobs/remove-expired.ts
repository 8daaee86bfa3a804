import type { ChallengeWrites } from '../challenge/challenge-writes.ts'
import type { Writer } from '../db/writer/writer.ts'
import { dayMilliseconds, hourMilliseconds } from '../durations.ts'
import { timePrefix } from '../id.ts'
import type { IdempotencyWrites } from '../idempotency/idempotency.ts'
import type { ImportWrites } from '../submissions/staged-rows.ts'
import type { SubmissionWrites } from '../submissions/submission-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Common extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<ChallengeWrites & IdempotencyWrites & ImportWrites & Pick<SubmissionWrites, 'checkClock'>>
}

/** What one write removes: it takes about 2 ms. */
const maxRows = 500

interface Challenges extends Common {
  readonly hasSpent: () => boolean
}

/**
 * Removes the challenges that were used and have expired: once an hour. They stay for an hour longer than they could be
 * used, in case the clock is set back.
 */
export const removeSpentChallenges = ({ hasSpent, ...common }: Challenges): Job =>
  everyHour(common, 'remove used challenges', hasSpent, (now) =>
    common.writer.run('removeSpentChallenges', { now: now - hourMilliseconds, maxRows }),
  )

interface Keys extends Common {
  readonly hasKeys: () => boolean
}

/** Removes the keys of requests that may no longer be repeated: once an hour. */
export const removeIdempotencyKeys = ({ hasKeys, ...common }: Keys): Job =>
  everyHour(common, 'remove old idempotency keys', hasKeys, (now) =>
    common.writer.run('removeIdempotencyKeys', { now, maxRows }),
  )

interface Staged extends Common {
  readonly hasStaged: () => boolean
}

/** No import takes so long. */
/** One import has at most 100 MiB in all, so one write never removes more. */
const maxStagedRows = 2000

/** Removes what imports of a cluster have left that were broken off: once an hour. */
export const removeStagedRows = ({ hasStaged, ...common }: Staged): Job =>
  everyHour(common, 'remove what is left of imports', hasStaged, (now) => {
    const before = timePrefix(now - dayMilliseconds)
    return common.writer.run('removeStagedRows', { from: '', before, maxRows: maxStagedRows })
  })

/** @param remove resolves to true if there may be more */
const everyHour = (
  { writer, now, ...options }: Common,
  task: string,
  hasAny: () => boolean,
  remove: (now: number) => Promise<boolean>,
): Job => {
  /** When the removal that goes on began. What expires meanwhile, or because the clock is set, is left to the next one. */
  let begun: number | null = null

  const begin = async (at: number): Promise<number | null> =>
    hasAny() && (await writer.run('checkClock', { now: at })) ? at : null

  return createJob({
    ...options,
    task,
    now,
    async step() {
      begun ??= await begin(now())
      if (begun !== null && !(await remove(begun))) begun = null
      return begun === null ? now() + hourMilliseconds : now()
    },
  })
}

import type { ChallengeWrites } from '../challenge/challenge-writes.ts'
import type { Writer } from '../db/writer/writer.ts'
import { timePrefix } from '../id.ts'
import type { OnceWrites } from '../once/once-writes.ts'
import type { ImportWrites } from '../submissions/staged-rows.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

type Common = Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'>

const hourMilliseconds = 3_600_000
/** What one write removes: it takes about 2 ms. */
const maxRows = 500

interface Challenges extends Common {
  readonly writer: Writer<ChallengeWrites>
  readonly hasSpent: () => boolean
}

/**
 * Removes the challenges that were used and have expired: once an hour. They stay for an hour longer than they could be
 * used, in case the clock is set back.
 */
export const removeSpentChallenges = ({ writer, hasSpent, ...common }: Challenges): Job =>
  everyHour(common, 'remove used challenges', hasSpent, (now) =>
    writer.run('removeSpentChallenges', { now: now - hourMilliseconds, maxRows }),
  )

interface Keys extends Common {
  readonly writer: Writer<OnceWrites>
  readonly hasKeys: () => boolean
}

/** Removes the keys of requests that may no longer be repeated: once an hour. */
export const removeIdempotencyKeys = ({ writer, hasKeys, ...common }: Keys): Job =>
  everyHour(common, 'remove old idempotency keys', hasKeys, (now) =>
    writer.run('removeIdempotencyKeys', { now, maxRows }),
  )

interface Staged extends Common {
  readonly writer: Writer<ImportWrites>
  readonly hasStaged: () => boolean
}

/** No import takes so long. */
const dayMilliseconds = 24 * hourMilliseconds
/** One import has at most 100 MiB in all, so one write never removes more. */
const maxStagedRows = 2000

/** Removes what imports of a cluster have left that were broken off: once an hour. */
export const removeStagedRows = ({ writer, hasStaged, ...common }: Staged): Job =>
  everyHour(common, 'remove what is left of imports', hasStaged, (now) =>
    writer.run('removeStagedRows', { from: '', before: timePrefix(now - dayMilliseconds), maxRows: maxStagedRows }),
  )

/** @param remove resolves to true if there may be more */
const everyHour = (
  { now, ...common }: Common,
  task: string,
  hasAny: () => boolean,
  remove: (now: number) => Promise<boolean>,
): Job =>
  createJob({
    ...common,
    task,
    now,
    step: async () => (hasAny() && (await remove(now())) ? now() : now() + hourMilliseconds),
  })

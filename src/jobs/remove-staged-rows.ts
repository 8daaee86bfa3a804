import type { Writer } from '../db/writer/writer.ts'
import { timePrefix } from '../id.ts'
import type { ImportWrites } from '../submissions/staged-rows.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<ImportWrites>
  readonly hasStaged: () => boolean
}

const hourMilliseconds = 3_600_000
/** No import takes so long. */
const dayMilliseconds = 24 * hourMilliseconds
/** What one write removes. One import has at most 100 MiB in all, so that is the most. */
const maxRows = 2000

/** Removes what is left of imports that were broken off: once an hour. */
export const removeStagedRows = ({ writer, hasStaged, now, ...options }: Options): Job =>
  createJob({
    ...options,
    task: 'remove what is left of imports',
    now,
    async step() {
      if (!hasStaged()) return now() + hourMilliseconds
      const isMoreLeft = await writer.run('removeStagedRows', {
        from: '',
        before: timePrefix(now() - dayMilliseconds),
        maxRows,
      })
      return isMoreLeft ? now() : now() + hourMilliseconds
    },
  })

import type { Writer } from '../db/writer/writer.ts'
import type { OnceWrites } from '../once/once-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<OnceWrites>
  readonly hasKeys: () => boolean
}

const hourMilliseconds = 3_600_000
/** What one write removes: it takes about 2 ms. */
const maxRows = 500

/** Removes the keys of requests that may no longer be repeated: once an hour. */
export const removeIdempotencyKeys = ({ writer, hasKeys, now, ...options }: Options): Job =>
  createJob({
    ...options,
    task: 'remove old idempotency keys',
    now,
    async step() {
      if (!hasKeys()) return now() + hourMilliseconds
      const isMoreLeft = await writer.run('removeIdempotencyKeys', { now: now(), maxRows })
      return isMoreLeft ? now() : now() + hourMilliseconds
    },
  })

import type { LastUsed } from '../keys/last-used.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure'> {
  readonly lastUsed: LastUsed
}

const flushMilliseconds = 60_000

/** Writes once a minute when the keys were last used, for all keys together, and once more when it stops. */
export const flushLastUsed = ({ lastUsed, ...options }: Options): Job => {
  const job = createJob({
    ...options,
    task: 'note when keys were used',
    async step() {
      await lastUsed.flush()
      return options.now() + flushMilliseconds
    },
  })
  return {
    ...job,
    async stop() {
      await job.stop()
      // Nobody is left who could try again, and a server must stop on a full disk too.
      await lastUsed.flush().catch(() => {})
    },
  }
}

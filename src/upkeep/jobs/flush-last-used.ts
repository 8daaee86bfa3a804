import type { LastUsed } from '../../accounts/keys/last-used.ts'
import { minuteMilliseconds } from '../../base/durations.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure'> {
  readonly lastUsed: LastUsed
}

const flushMilliseconds = minuteMilliseconds

/** Writes when the keys were last used: once a minute for all keys, and once more when the server stops. */
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
      // This is the last attempt, and the server must be able to stop even if the disk is full.
      await lastUsed.flush().catch(() => {})
    },
  }
}

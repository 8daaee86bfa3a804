import { minuteMilliseconds } from '../../base/durations.ts'
import { sizeOf } from '../../storage/files.ts'
import { walFile } from '../../storage/open.ts'
import type { Commands } from '../../storage/writer/batch.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds'> {
  readonly folder: string
  readonly writer: Pick<Writer<Commands>, 'emptyWal'>
  readonly everyMilliseconds?: number
}

/**
 * Empties the write-ahead log every five minutes if anything was written, by this process or another. By itself, SQLite
 * moves the log into the file after 4 MB of writes, and leaves what was in it: on a quiet server, what was deleted
 * would stay there for months.
 */
export const emptyWalRegularly = ({ folder, writer, everyMilliseconds, now, ...options }: Options): Job =>
  createJob({
    ...options,
    task: 'empty the log',
    now,
    async step() {
      const every = everyMilliseconds ?? 5 * minuteMilliseconds
      if (sizeOf(walFile(folder)) === 0) return now() + every
      const isEmpty = await writer.emptyWal()
      return now() + (isEmpty ? every : Math.min(every, minuteMilliseconds))
    },
  })

import { minuteMilliseconds } from '../../base/durations.ts'
import { lazily } from '../../base/lazily.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { type CountWrites, formToCount } from '../../submissions/limits/count-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure'> {
  readonly reader: Reader
  readonly writer: Writer<CountWrites>
  readonly signingKey: () => Promise<Uint8Array>
}

/** After a slice, at most as long as it has kept other writes waiting. */
const maxPauseMilliseconds = 200

/**
 * Counts what was there before a limit, slice by slice. Every machine of a cluster looks once a minute, because the settings
 * may have been changed on another one, or by a command; what two of them read, one counts.
 */
export const countLimits = ({ reader, writer, signingKey, now, onFailure }: Options): Job => {
  const isAny = formToCount(reader.db)
  const counter = lazily(async () => (await import('../../submissions/limits/count-slice.ts')).sliceCounter)
  let countSlice: (() => Promise<boolean>) | undefined
  const task = 'count what is limited'
  const step = async (): Promise<number> => {
    if (!isAny()) return now() + minuteMilliseconds
    countSlice ??= (await counter())({ reader, writer, signingKey })
    const startedAt = performance.now()
    await countSlice()
    return now() + Math.min(maxPauseMilliseconds, performance.now() - startedAt)
  }
  return createJob({ now, onFailure, task, step })
}

import { isNotNull } from 'drizzle-orm'
import { hourMilliseconds } from '../../base/durations.ts'
import type { SilenceCommands } from '../../forms/silence-writes.ts'
import { type Db, hasRows } from '../../storage/open.ts'
import { silences } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<SilenceCommands>
  readonly db: Db
  /** Called when there are mails to be sent. */
  readonly onDue: () => void
}

/** Tells the addresses of forms in which nothing has come for their `quietDays`: once an hour, as the clock is asked then. */
export const tellOfSilence = ({ db, writer, onDue, ...options }: Options): Job => {
  const isWatching = hasRows(db, silences, isNotNull(silences.tellAt))

  return createJob({
    ...options,
    task: 'tell of forms that are silent',
    async step() {
      const now = options.now()
      if (!isWatching()) return now + hourMilliseconds
      const { told, isMoreLeft } = await writer.run('tellOfSilence', { now })
      if (told > 0) onDue()
      return isMoreLeft ? now : now + hourMilliseconds
    },
  })
}

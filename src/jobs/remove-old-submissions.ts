import type { Writer } from '../db/writer/writer.ts'
import { hourMilliseconds } from '../durations.ts'
import type { ListName } from '../submissions/lists.ts'
import type { SweepPosition } from '../submissions/retention.ts'
import type { SubmissionWrites } from '../submissions/submission-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<SubmissionWrites>
  readonly mayHaveOld: (list: ListName) => boolean
  /** Called after long submissions were deleted. Their pieces still have to be removed. */
  readonly onDeleted: () => void
}

/** What one write deletes, or looks at: other writes wait meanwhile. */
const maxRows = 200
const maxForms = 500

interface Sweep extends SweepPosition {
  /** When it began. What becomes too old meanwhile, or because the clock is set, is left to the next one. */
  readonly now: number
  readonly list: ListName
  /** Lists that come after this one. */
  readonly others: readonly ListName[]
}

const sweepOf = (now: number, [list, ...others]: readonly ListName[]): Sweep | null =>
  list ? { now, list, others, form: 0, from: '' } : null

/** Deletes submissions and spam after the days that the settings of their forms say: once an hour. */
export const removeOldSubmissions = ({ writer, mayHaveOld, now, onDeleted, ...options }: Options): Job => {
  let sweep: Sweep | null = null

  const begin = async (at: number): Promise<Sweep | null> => {
    const lists = (['inbox', 'spam'] as const).filter(mayHaveOld)
    if (lists.length === 0 || !(await writer.run('checkClock', { now: at }))) return null
    return sweepOf(at, lists)
  }

  const goOn = async ({ others, ...position }: Sweep): Promise<Sweep | null> => {
    const { next, isMoreLeft } = await writer.run('removeOldSubmissions', { ...position, maxForms, maxRows })
    if (isMoreLeft) onDeleted()
    return next ? { ...position, ...next, others } : sweepOf(position.now, others)
  }

  return createJob({
    ...options,
    task: 'remove old submissions and spam',
    now,
    async step() {
      sweep = sweep ? await goOn(sweep) : await begin(now())
      return sweep ? now() : now() + hourMilliseconds
    },
  })
}

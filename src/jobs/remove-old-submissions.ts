import type { Writer } from '../db/writer/writer.ts'
import type { SpamPosition } from '../spam/removal.ts'
import type { SpamWrites } from '../spam/spam-writes.ts'
import type { SubmissionWrites } from '../submissions/submission-writes.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<SubmissionWrites & SpamWrites>
  readonly hasRetention: () => boolean
  readonly hasSpam: () => boolean
  /** Called after long submissions were deleted. Their pieces still have to be removed. */
  readonly onDeleted: () => void
}

const hourMilliseconds = 3_600_000
/** What one write deletes, or looks at: other writes wait meanwhile. */
const maxRows = 200
const maxForms = 500

/** What is still to be looked at: first all forms, then all spam. */
interface Sweep {
  /** When it began. What becomes too old meanwhile, or because the clock is set, is left to the next one. */
  readonly now: number
  readonly form: number | null
  readonly spam: SpamPosition | null
}

/** Deletes submissions and spam after the days that the settings of their forms say: once an hour. */
export const removeOldSubmissions = ({ writer, hasRetention, hasSpam, now, onDeleted, ...options }: Options): Job => {
  let sweep: Sweep | null = null

  const begin = async (at: number): Promise<Sweep | null> => {
    const [isKeeping, hasAnySpam] = [!hasRetention(), hasSpam()]
    if (isKeeping && !hasAnySpam) return null
    if (!(await writer.run('checkClock', { now: at }))) return null
    return { now: at, form: isKeeping ? null : 0, spam: hasAnySpam ? { spamForm: 0, from: '' } : null }
  }

  const goOn = async ({ now: at, form, spam }: Sweep): Promise<Sweep | null> => {
    if (form !== null) {
      const { next, isMoreLeft } = await writer.run('removeOldSubmissions', { form, now: at, maxForms, maxRows })
      if (isMoreLeft) onDeleted()
      return { now: at, form: next, spam }
    }
    if (spam === null) return null
    const { next, isMoreLeft } = await writer.run('removeOldSpam', { ...spam, now: at, maxRows })
    if (isMoreLeft) onDeleted()
    return next && { now: at, form, spam: next }
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

import type { Db } from '../db/open.ts'
import { dayMilliseconds } from '../durations.ts'
import type { Form } from '../forms/ownership.ts'
import { timePrefix } from '../id.ts'
import { inboxOf } from './lists.ts'
import { tallyReads } from './tally.ts'

/** Today included. */
const activityDays = 30

type CountedForm = Pick<Form, 'number' | 'latestId' | 'submissionCount'>

/**
 * The returned function counts a form's submissions on each of the last 30 days in UTC, oldest day first.
 *
 * @param now Unix time in milliseconds, on the last day
 */
export const activityReader = (db: Db): ((form: CountedForm, now: number) => number[]) => {
  const { countsBefore } = tallyReads(db)

  return (form, now) => {
    const tomorrow = Math.floor(now / dayMilliseconds) + 1
    const starts = Array.from({ length: activityDays + 1 }, (_, day) =>
      timePrefix((tomorrow - activityDays + day) * dayMilliseconds),
    )
    if (form.submissionCount === 0 || form.latestId < (starts[0] as string)) return starts.slice(1).map(() => 0)
    const before = countsBefore(inboxOf(form.number), starts)
    return before.slice(1).map((count, day) => count - (before[day] as number))
  }
}

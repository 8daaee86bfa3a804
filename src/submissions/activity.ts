import type { Db } from '../db/open.ts'
import type { Form } from '../forms/ownership.ts'
import { timePrefix } from '../id.ts'
import { tallyReads } from './tally.ts'

/** Today included. */
const activityDays = 30

const dayMilliseconds = 86_400_000

type CountedForm = Pick<Form, 'number' | 'latestId' | 'submissionCount'>

/**
 * The returned function counts a form's submissions on each of the last 30 days in UTC, oldest day first.
 *
 * @param now Unix time in milliseconds, on the last day
 */
export const activityReader = (db: Db): ((form: CountedForm, now: number) => number[]) => {
  const { countBefore } = tallyReads(db)

  return (form, now) => {
    const tomorrow = Math.floor(now / dayMilliseconds) + 1
    const starts = Array.from({ length: activityDays + 1 }, (_, day) =>
      timePrefix((tomorrow - activityDays + day) * dayMilliseconds),
    )
    const before = countsBefore(starts, (start) =>
      start > form.latestId ? form.submissionCount : countBefore(form.number, start),
    )
    return before.slice(1).map((count, day) => count - (before[day] as number))
  }
}

/** Counts before each of these ascending starts. Between two with the same count it looks nothing up. */
const countsBefore = (starts: readonly string[], countBefore: (start: string) => number): number[] => {
  const counts = starts.map(() => 0)
  const fill = (first: number, last: number): void => {
    const count = counts[first] as number
    if (count === counts[last]) return void counts.fill(count, first, last)
    if (last - first === 1) return
    const middle = (first + last) >> 1
    counts[middle] = countBefore(starts[middle] as string)
    fill(first, middle)
    fill(middle, last)
  }
  const last = starts.length - 1
  counts[0] = countBefore(starts[0] as string)
  counts[last] = countBefore(starts[last] as string)
  fill(0, last)
  return counts
}

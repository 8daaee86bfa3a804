import { dayMilliseconds } from '../base/durations.ts'
import { AppError, type Issue, invalid } from '../base/errors.ts'
import { afterEveryId, timePrefix } from '../base/id.ts'
import { parseMoment } from '../base/moment.ts'

/** Unix milliseconds, both inclusive; null where the range is open. */
export interface DateRange {
  readonly start: number | null
  readonly end: number | null
}

/** Names of the two dates in errors. */
interface DateNames {
  readonly start: string
  readonly end: string
  /** Follows the example of a date-time. */
  readonly advice: string
}

const inQuery: DateNames = { start: 'startDate', end: 'endDate', advice: ', a + as %2B' }

/** @throws AppError `invalid` if one is neither a date nor a date-time; `ReversedDates` if the start is after the end */
export const parseDateRange = (
  startDate: string | undefined,
  endDate: string | undefined,
  names: DateNames = inQuery,
): DateRange => {
  const issues: Issue[] = []
  const start = startDate === undefined ? undefined : parseMoment(startDate)
  const end = endDate === undefined ? undefined : parseMoment(endDate)
  if (startDate !== undefined && !start) issues.push(notADate(names.start, names))
  if (endDate !== undefined && !end) issues.push(notADate(names.end, names))
  if (issues.length > 0) throw invalid(...issues)
  if (start && end && start.first > end.last) throw new ReversedDates(names)
  // Submissions have whole milliseconds: one at .000 is before a start of .0001.
  return { start: start ? Math.ceil(start.first) : null, end: end ? Math.floor(end.last) : null }
}

/** The first day of a range is after the last one. */
export class ReversedDates extends AppError {
  constructor({ start, end }: DateNames) {
    super('invalid', 'Invalid input data', { issues: [{ field: start, message: `must not be after ${end}` }] })
  }
}

const notADate = (field: string, { advice }: DateNames): Issue => ({
  field,
  message: `must be a date (2026-11-21) or a date-time with an offset (2026-11-21T08:01:00Z${advice})`,
})

/** Sorts before every identifier. */
export const lowest = ''

/** The first identifier of a range, or the beginning of it, and the one before which it ends. */
export const bounds = ({ start, end }: DateRange): { readonly from: string; readonly before: string } => ({
  from: start === null ? lowest : timePrefix(Math.max(0, start)),
  before: end === null ? afterEveryId : timePrefix(Math.max(0, end + 1)),
})

/** Submissions with smaller identifiers are too old to be kept. @param now Unix milliseconds */
export const tooOldBefore = (days: number, now: number): string => timePrefix(Math.max(0, now - days * dayMilliseconds))

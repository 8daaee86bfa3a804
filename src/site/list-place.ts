import { type DateRange, parseDateRange } from '../submissions/date-range.ts'
import { formPath } from './form-frame.ts'

/** Dates as they were typed; empty where the range is open. */
export interface TypedDates {
  readonly startDate: string
  readonly endDate: string
}

export const typedDates = ({ startDate, endDate }: Readonly<Record<string, unknown>>): TypedDates => ({
  startDate: typeof startDate === 'string' ? startDate : '',
  endDate: typeof endDate === 'string' ? endDate : '',
})

/** Empty inputs, as a browser sends them, are open ends. @throws AppError `invalid` */
export const rangeOf = ({ startDate, endDate }: TypedDates): DateRange =>
  parseDateRange(startDate || undefined, endDate || undefined)

/** The path of the list of submissions with these dates, at this page. */
export const placePath = (formId: string, dates: TypedDates, page = 1, more: Record<string, string> = {}): string => {
  const members = { ...dates, ...more, page: page > 1 ? String(page) : '' }
  const query = new URLSearchParams(Object.entries(members).filter(([, value]) => value !== '')).toString()
  return query === '' ? formPath(formId) : `${formPath(formId)}?${query}`
}

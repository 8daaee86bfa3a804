import { type Html, html } from '../html/html.ts'
import { pageNumber } from '../html/pager.ts'
import { type DateRange, parseDateRange } from '../submissions/date-range.ts'
import { formPath } from './form-frame.ts'

/** Dates as they were typed; empty where the range is open. */
export interface TypedDates {
  readonly startDate: string
  readonly endDate: string
}

/** Where somebody is in the list of submissions. The pages that it leads to bring them back there. */
export interface ListPlace extends TypedDates {
  readonly page: number
}

type Given = Readonly<Record<string, unknown>>

export const typedDates = ({ startDate, endDate }: Given): TypedDates => ({
  startDate: typeof startDate === 'string' ? startDate : '',
  endDate: typeof endDate === 'string' ? endDate : '',
})

/** @param given a query, or a form that was sent */
export const toPlace = (given: Given): ListPlace => ({ ...typedDates(given), page: pageNumber(given.page) })

/** Empty inputs, as a browser sends them, are open ends. @throws AppError `invalid` */
export const rangeOf = ({ startDate, endDate }: TypedDates): DateRange =>
  parseDateRange(startDate || undefined, endDate || undefined)

/** Begins with `?`; empty for the first page of all dates. */
export const placeQuery = (place: ListPlace, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams([...membersOf(place), ...Object.entries(more)]).toString()
  return query && `?${query}`
}

export const placePath = (formId: string, place: ListPlace, more?: Readonly<Record<string, string>>): string =>
  formPath(formId) + placeQuery(place, more)

/** The place as hidden inputs of a form. */
export const placeInputs = (place: ListPlace): Html[] =>
  membersOf(place).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  )

const membersOf = ({ startDate, endDate, page }: ListPlace): [string, string][] =>
  Object.entries({ startDate, endDate, page: page > 1 ? String(page) : '' }).filter(([, value]) => value !== '')

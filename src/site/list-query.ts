import { invalid } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { formPath, spamPath } from '../config/addresses.ts'
import type { Html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import { pageNumber } from '../html/pager.ts'
import { submissions } from '../storage/tables.ts'
import { type DateRange, parseDateRange } from '../submissions/date-range.ts'
import { isHeldList, type ListName, reachedAs } from '../submissions/lists.ts'
import { type Filter, type GivenFilter, isAnythingAsked, toFilter } from '../submissions/search/filter.ts'
import { maxQueryLength } from '../submissions/search/terms.ts'
import { listedStates } from '../submissions/states.ts'
import type { Reason } from '../submissions/stored-submission.ts'

/** Dates as they were typed; empty where the range is open. */
export interface TypedDates {
  readonly startDate: string
  readonly endDate: string
}

/** A filter as an address has it: nothing is an empty text. */
type WrittenFilter = { readonly [Name in keyof GivenFilter]-?: NonNullable<GivenFilter[Name]> }

/** What a list of submissions shows, and its page. Pages that the list leads to carry it along, to link back. */
export interface ListQuery extends TypedDates, Omit<WrittenFilter, 'state'> {
  /** Only submissions of this state. Empty in an address that names none: the page of a list then chooses one. */
  readonly state: WrittenFilter['state'] | 'all'
  /** Where a search goes on; empty to begin with the newest. */
  readonly cursor: string
  readonly page: number
  /** For open and for done ones, the page shows submissions older than this one; empty for the first page. */
  readonly before: string
  /** The list that leads to the page of a submission, if it is not that of the form. */
  readonly from: '' | 'inbox'
}

/** The first page, of the state that the list shows by itself. Addresses have these names in this order. */
export const wholeList: ListQuery = {
  q: '',
  reason: '',
  hasFiles: '',
  startDate: '',
  endDate: '',
  state: '',
  cursor: '',
  page: 1,
  before: '',
  from: '',
}
const memberNames = Object.keys(wholeList) as (keyof ListQuery)[]

const states: readonly ListQuery['state'][] = [...listedStates, 'unread']

const reasons: readonly Reason[] = submissions.reason.enumValues

type Given = Readonly<Record<string, unknown>>

export const typedDates = ({ startDate, endDate }: Given): TypedDates => ({
  startDate: typeof startDate === 'string' ? startDate : '',
  endDate: typeof endDate === 'string' ? endDate : '',
})

/** @param given a query, or a form that was sent */
export const toListQuery = (given: Given): ListQuery => ({
  ...typedDates(given),
  state: states.find((state) => state === given.state) ?? '',
  q: typeof given.q === 'string' ? given.q.trim() : '',
  hasFiles: given.hasFiles === 'true' || given.hasFiles === 'false' ? given.hasFiles : '',
  reason: reasons.find((reason) => reason === given.reason) ?? '',
  cursor: typeof given.cursor === 'string' ? given.cursor : '',
  page: pageNumber(given.page),
  before: isId(given.before) ? given.before : '',
  from: given.from === 'inbox' ? 'inbox' : '',
})

/** @throws AppError `invalid` */
export const filterOf = (listQuery: ListQuery): Filter =>
  toFilter({ ...withoutAll(listQuery), q: notTooLong(listQuery.q) })

/** A search as it was typed. @throws AppError `invalid` */
export const notTooLong = (q: string): string => {
  if ([...q].length <= maxQueryLength) return q
  throw invalid({ message: `A search must have at most ${maxQueryLength} characters` })
}

/** The first page of the list with another filter. */
export const changed = (listQuery: ListQuery, changes: Partial<ListQuery> = {}): ListQuery => ({
  ...listQuery,
  page: 1,
  before: '',
  cursor: '',
  ...changes,
})

/** As a filter has it: with nothing for all. */
export const withoutAll = <Query extends ListQuery>(listQuery: Query) => {
  const { state } = listQuery
  return { ...listQuery, state: state === 'all' ? '' : state } as const
}

/** Whether the list shows what a search finds. All of a state are found without one. */
export const isSearch = (listQuery: ListQuery): boolean => isAnythingAsked({ ...listQuery, state: '' })

/** Takes empty inputs, as a browser sends them, for open ends. @throws AppError `invalid` */
export const rangeOf = ({ startDate, endDate }: TypedDates): DateRange =>
  parseDateRange(startDate || undefined, endDate || undefined)

/** Begins with `?`; empty for the first page of all dates. */
export const queryString = (listQuery: ListQuery, more?: Readonly<Record<string, string>>): string =>
  queryOf(membersOf(listQuery), more)

/** A query with these names, which need not be encoded, and values. Empty without any. */
export const queryOf = (
  members: readonly (readonly [name: string, value: string])[],
  more: Readonly<Record<string, string>> = {},
): string => {
  let query = ''
  const add = (name: string, value: string): void => {
    query += `${query === '' ? '?' : '&'}${name}=${isPlain.test(value) ? value : encoded(value)}`
  }
  for (const [name, value] of members) add(name, value)
  for (const name in more) add(name, more[name] as string)
  return query
}

/** What a query has as it is. Most values are, and a page has thirty links with some. */
const isPlain = /^[\w.-]*$/

const encoded = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1)

const pages = { inbox: formPath, spam: spamPath }

/** The path of a list of a form. What is held is on the page of the spam. */
export const listPath = (
  formId: string,
  list: ListName,
  listQuery: ListQuery,
  more?: Readonly<Record<string, string>>,
): string =>
  `${pages[reachedAs(list)](formId)}${queryString(isHeldList(list) ? { ...listQuery, reason: list } : listQuery, more)}`

/** The first page, whenever its submissions were received, with files or without. */
export const withoutReceived = (listQuery: ListQuery): ListQuery =>
  changed(listQuery, { startDate: '', endDate: '', hasFiles: '' })

export const hiddenInputs = (listQuery: ListQuery): Html[] =>
  membersOf(listQuery).map(([name, value]) => hiddenInput(name, value))

const membersOf = (listQuery: ListQuery): [string, string][] => {
  const members: [string, string][] = []
  for (const name of memberNames) {
    const value = listQuery[name]
    if (value !== '' && value !== 1) members.push([name, String(value)])
  }
  return members
}

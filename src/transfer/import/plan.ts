import { atMost, shownLine } from '../../base/short-text.ts'
import type { ImportFormat } from '../formats.ts'
import type { DateFormat, DateOrder } from './read-date.ts'

/** A column of a table. */
export interface Column {
  readonly name: string
  /** Its name in the file, if an earlier column has that name. */
  readonly renamedFrom?: string
}

/** How the time of a submission is read. */
export interface Time {
  readonly column: string
  readonly format: DateFormat
  /** Of days in numbers; null if it does not matter. */
  readonly order: DateOrder | null
  /** Of times that name none. */
  readonly timeZone: string
}

/** One of the first submissions, as it will be. */
export interface Example {
  /** Its date in the file; null if it has none. */
  readonly date: string | null
  /** How that is read; the time of the import if there is none. */
  readonly createdAt: string
  /** Its first values as text, cut, by the names of their fields. */
  readonly values: Readonly<Record<string, string>>
}

/** What a file is understood as. It is filled in while the file is read, and complete at its end. */
export interface Plan {
  /** Null if it is not CSV. */
  separator: string | null
  /** In the order of the header; none if it is no table. */
  columns: readonly Column[]
  /** Null if no column tells it: every submission says it in a way of its own, or none does. */
  time: Time | null
  /** Why no column tells it. */
  whyNoTime: string
  /** Submissions that are imported. */
  rows: number
  readonly examples: Example[]
  /** Submissions without a date of their own, which get the time of the import. */
  undated: number
  /** Rows without a value, which are left out. */
  emptyRows: number
  /** Submissions that the service has marked as spam, which are left out. */
  spam: number
  /** Submissions whose identifiers the form already has. They are left as they are. */
  present: number
  /** Names of columns and members that are left out, and of how many submissions. */
  readonly left: Map<string, number>
  /** Sheets that are not the first one, which are left out. */
  otherSheets: readonly string[]
  /** Cells with a formula whose value is not in the file, which are empty. */
  formulas: number
}

export const emptyPlan = (): Plan => ({
  separator: null,
  columns: [],
  time: null,
  whyNoTime: '',
  rows: 0,
  examples: [],
  undated: 0,
  emptyRows: 0,
  spam: 0,
  present: 0,
  left: new Map(),
  otherSheets: [],
  formulas: 0,
})

/** What the page and the API show of a plan: all of it is text, numbers and lists. */
export interface Report {
  readonly format: ImportFormat
  readonly separator: string | null
  readonly rows: number
  /** The first ones, with names that may be cut. */
  readonly columns: readonly Column[]
  /** `format` is `dmy` or `mdy` where the order of the numbers matters. */
  readonly time: {
    readonly column: string
    readonly format: DateFormat | DateOrder
    readonly timeZone: string
  } | null
  readonly examples: readonly Example[]
  /** What is not imported, or not as it is in the file, and how often. */
  readonly left: readonly { readonly why: string; readonly count: number }[]
}

/** @param fieldNames the columns of a file that has no header */
export const toReport = (plan: Plan, format: ImportFormat, fieldNames: readonly string[]): Report => {
  const { separator, rows, columns, time, examples } = plan
  const all = columns.length > 0 ? columns : fieldNames.map((name): Column => ({ name }))
  return {
    format,
    separator,
    rows,
    columns: all.slice(0, maxColumns).map(toShown),
    time: time && {
      column: atMost(time.column, maxShownName),
      format: time.order ?? time.format,
      timeZone: time.timeZone,
    },
    examples,
    left: leftOf(plan),
  }
}

/** Names are a stranger's, up to megabytes long, and a report is kept for 90 days. */
const maxColumns = 1000
export const maxShownName = 200

const toShown = ({ name, renamedFrom }: Column): Column => ({
  name: atMost(name, maxShownName),
  ...(renamedFrom !== undefined && { renamedFrom: atMost(renamedFrom, maxShownName) }),
})

const leftOf = ({ emptyRows, spam, present, undated, left, otherSheets, formulas }: Plan): Report['left'] =>
  [
    { why: 'empty rows', count: emptyRows },
    { why: 'marked as spam by the service', count: spam },
    { why: 'in the form already', count: present },
    { why: 'no date, so they get the time of the import', count: undated },
    ...otherSheets.map((name) => ({ why: `the sheet “${shownLine(name, 50)}”, which is not the first`, count: 1 })),
    { why: 'formulas whose value is not in the file', count: formulas },
    ...[...left].map(([name, count]) => ({ why: `“${shownLine(name, 50)}”, which is no field`, count })),
  ].filter(({ count }) => count > 0)

/** The names are a stranger's: they must not fill the memory. */
const maxLeft = 100

export const leaveOut = ({ left }: Plan, name: string): void => {
  const count = left.get(name)
  if (count !== undefined || left.size < maxLeft) left.set(name, (count ?? 0) + 1)
}

/** The report as JSON, without anything that visitors sent: it is kept for 90 days. */
export const storedReport = (plan: Plan, format: ImportFormat, fieldNames: readonly string[]): string =>
  JSON.stringify({ ...toReport(plan, format, fieldNames), examples: [] })

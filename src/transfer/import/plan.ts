import type { DateFormat, DateOrder } from './read-date.ts'

/** A column of a CSV file. */
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

/** What a file is understood as. It is filled in while the file is read, and complete at its end. */
export interface Plan {
  /** Null if it is not CSV. */
  separator: string | null
  /** In the order of the header; none if it is not CSV. */
  columns: readonly Column[]
  /** Null if no column tells it: every submission says it in a way of its own, or none does. */
  time: Time | null
  /** Why no column tells it. */
  whyNoTime: string
  /** Rows without a value, which are left out. */
  emptyRows: number
  /** Names of columns and members that are left out, and of how many submissions. */
  readonly left: Map<string, number>
}

export const emptyPlan = (): Plan => ({
  separator: null,
  columns: [],
  time: null,
  whyNoTime: '',
  emptyRows: 0,
  left: new Map(),
})

/** The names are a stranger's: they must not fill the memory. */
const maxLeft = 100

export const leaveOut = ({ left }: Plan, name: string): void => {
  const count = left.get(name)
  if (count !== undefined || left.size < maxLeft) left.set(name, (count ?? 0) + 1)
}

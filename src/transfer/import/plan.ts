/** A column of a CSV file. */
export interface Column {
  readonly name: string
  /** Its name in the file, if an earlier column has that name. */
  readonly renamedFrom?: string
}

/** What a file is understood as. It is filled in while the file is read, and complete at its end. */
export interface Plan {
  /** Null if it is not CSV. */
  separator: string | null
  /** In the order of the header; none if it is not CSV. */
  columns: readonly Column[]
  /** Rows without a value, which are left out. */
  emptyRows: number
  /** Names of columns and members that are left out, and of how many submissions. */
  readonly left: Map<string, number>
}

export const emptyPlan = (): Plan => ({ separator: null, columns: [], emptyRows: 0, left: new Map() })

/** The names are a stranger's: they must not fill the memory. */
const maxLeft = 100

export const leaveOut = ({ left }: Plan, name: string): void => {
  const count = left.get(name)
  if (count !== undefined || left.size < maxLeft) left.set(name, (count ?? 0) + 1)
}

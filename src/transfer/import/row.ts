/** A number, `true` or `false`, where the format has types. */
export interface Typed {
  readonly text: string
  readonly json: string
}

/** Null if it is empty, and in CSV without quotation marks. */
export type Cell = string | Typed | null

export interface Row {
  /** Counted from 1, with blank ones. */
  readonly number: number
  readonly cells: readonly Cell[]
  /** Where they are, ascending; absent if it is one after the other. */
  readonly positions?: readonly number[]
}

/** The number of columns in a spreadsheet. */
export const maxCells = 16_384

/** Bytes. More than a submission of 2 MiB takes, even if it consists of quotation marks. */
export const maxRowBytes = 16 * 1024 * 1024

export const isEmpty = (cell: Cell): boolean => cell === null || cell === ''

export const textIn = (cell: Cell): string => (cell === null ? '' : typeof cell === 'string' ? cell : cell.text)

/** The texts of a row from its first column on. */
export const textsOf = ({ cells, positions }: Row): string[] => {
  if (!positions) return cells.map(textIn)
  const all: string[] = new Array((positions.at(-1) ?? -1) + 1).fill('')
  for (const [i, cell] of cells.entries()) all[positions[i] as number] = textIn(cell)
  return all
}

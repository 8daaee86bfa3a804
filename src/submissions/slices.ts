// How much one write does of what may be much. Small, because other writes wait meanwhile. What sends the writes needs no more
// than this: a start does not load the commands.

/** The most that one write may do. */
export interface Slice {
  readonly maxRows: number
  readonly maxBytes: number
}

/** What one write removes: 8 MiB of files, notes and long submissions take about 30 ms. Of those at least one is removed. */
export const oneSlice: Slice = { maxRows: 500, maxBytes: 8 * 1024 * 1024 }

/** What one write brings in of an import. Bytes are those of data and notes. */
export const importSlice = { maxRows: 500, maxBytes: 1024 * 1024 } as const

/** What one write removes of what was staged: it takes about 2 ms. */
export const restSlice = { maxRows: 2000, maxBytes: 8 * 1024 * 1024 } as const

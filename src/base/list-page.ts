/** One page of a list. */
export interface ListPage {
  /** Counts from 1. */
  readonly page: number
  readonly perPage: number
}

/** The items of a page, of a list that is short. */
export const itemsOf = <T>(all: readonly T[], { page, perPage }: ListPage): T[] =>
  all.slice((page - 1) * perPage, page * perPage)

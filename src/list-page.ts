/** One page of a list. */
export interface ListPage {
  /** Counts from 1. */
  readonly page: number
  readonly perPage: number
}

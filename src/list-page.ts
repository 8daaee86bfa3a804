/** Which items of a list are asked for. */
export interface ListPage {
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

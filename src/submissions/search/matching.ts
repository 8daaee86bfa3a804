import { isId } from '../../base/id.ts'
import type { Searcher } from './search.ts'

/** The submissions that something is to be done with: those that are ticked, or all that match the filter of a list. */
export interface Chosen<Which> {
  readonly chosen: readonly Which[]
  /** Whether more match than one request changes. */
  readonly hasMore: boolean
}

/** Submissions that one request changes: a second or two; and those that are read at once. */
const mostAtOnce = 1000
export const matchingSlice = 100

/** Reads all that match, as a search does, in slices, but for those that are newer than the list was. */
export const readMatching = async <Which extends { readonly id: string }>(
  { signal, checkAccess }: Pick<Searcher, 'signal' | 'checkAccess'>,
  upTo: string | null | undefined,
  read: (cursor: string | null) => Promise<{ readonly part: readonly Which[]; readonly next: string | null }>,
): Promise<Chosen<Which>> => {
  const chosen: Which[] = []
  let cursor: string | null = null
  do {
    const { part, next } = await read(cursor)
    chosen.push(...part.filter(({ id }) => !isId(upTo) || id <= upTo))
    cursor = next
    // A part without words is read at once: others come first, and someone who has left wants nothing any more.
    await Bun.sleep(0)
    if (signal.aborted) return { chosen: [], hasMore: false }
    checkAccess()
  } while (cursor !== null && chosen.length < mostAtOnce)
  return { chosen, hasMore: cursor !== null }
}

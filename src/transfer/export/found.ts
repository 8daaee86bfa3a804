import type { FormTo } from '../../forms/access.ts'
import type { Db } from '../../storage/open.ts'
import { bounds, type DateRange } from '../../submissions/date-range.ts'
import { submissionsWithFiles } from '../../submissions/files/file-reads.ts'
import type { List } from '../../submissions/lists.ts'
import { type Filter, filterPicks } from '../../submissions/search/filter.ts'
import { finderOf } from '../../submissions/search/match.ts'
import { runSlice, submissionScan } from '../../submissions/search/scan.ts'
import type { StoredSubmission } from '../../submissions/stored-submission.ts'

export interface Filtering extends Filter {
  readonly userId: string
  /** Lets other requests through. */
  pause(): Promise<void>
  /** How long the files of what is found may be counted, without the pauses, before an archive begins. */
  readonly maxCountMilliseconds?: number
}

const rowsPerSlice = 50

/**
 * The submissions of a list that a search finds, oldest first, in slices of up to 50. An empty slice asks for a pause, see
 * `withPauses`.
 */
export const foundSlices = (db: Db) => {
  const scan = submissionScan(db)
  const picks = filterPicks(db)
  const filesOf = submissionsWithFiles(db)

  return function* slices(
    form: FormTo<'read'>,
    list: List,
    range: DateRange,
    filter: Filtering,
  ): Generator<StoredSubmission[], void> {
    const pick = picks(form, filter.userId, filter)
    let found: StoredSubmission[] = []
    const files = filter.hasFiles === null ? {} : { filesOf }
    const where = { list, ...bounds(range), pick, ...files, isOldestFirst: true }
    const steps = scan(where, finderOf(filter), (row, isFound) => {
      if (isFound) found.push(row)
      return false
    })
    for (let isOver = false; !isOver; ) {
      isOver = runSlice(steps) === undefined
      for (let at = 0; at < found.length; at += rowsPerSlice) yield found.slice(at, at + rowsPerSlice)
      found = []
      yield found
    }
  }
}

/** Makes a pause in place of each part that is empty. */
export async function* withPauses<Part extends { readonly length: number }>(
  parts: Iterable<Part>,
  pause: Filtering['pause'],
): AsyncGenerator<Part, void> {
  for (const part of parts)
    if (part.length > 0) yield part
    else await pause()
}

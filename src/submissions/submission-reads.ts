import { and, asc, desc, gt, gte, lt, sql } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { ListPage } from '../base/list-page.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { param, submissions } from '../storage/tables.ts'
import { bounds, type DateRange, lowest } from './date-range.ts'
import { inList, type List } from './lists.ts'
import type { NoteCounts } from './notes.ts'
import { pieceReader } from './pieces.ts'
import { type StoredSubmission, storedColumns, storedReads, toStored } from './stored-submission.ts'
import { tallyReads } from './tally.ts'
import { isUnopened, later, type Unread } from './unread.ts'

/** Newest first. */
export interface FoundSubmissions {
  readonly formId: string
  readonly submissions: readonly StoredSubmission[]
  /** Of the inbox, where it is asked for. */
  readonly noteCounts?: NoteCounts
  /**
   * A piece of a long submission in UTF-8, counted from 0; undefined if it has been deleted. pieces.ts says which is
   * the last.
   */
  readPiece(id: string, position: number): Uint8Array | undefined
}

/** Identifiers of submissions. */
interface Neighbours {
  readonly older: string | undefined
  readonly newer: string | undefined
}

/** Where a submission stands in a list. */
export interface Place extends Neighbours {
  /** Newest first, from 1. */
  readonly position: number
}

/** Up to this many newer submissions are counted one by one: someone reads the first page of the list. */
const maxNewer = 20

/** Up to this many rows, skipping them is cheaper than a lookup in the tallies. */
const shortSkip = 100

/** The rows of a list. */
export const submissionReads = oncePerConnection((db: Db) => {
  const tally = tallyReads(db)
  const { findRow, newestFirst, oldestFirst } = storedReads(db)
  const { unreadBefore, place } = readStatements(db)
  const readPiece = pieceReader(db)

  return {
    findRow,

    listRows(list: List, count: number, { page, perPage }: ListPage, range: DateRange) {
      const { from, before } = bounds(range)
      const older = from === lowest ? 0 : tally.countBefore(list, from)
      const notNewer = before === afterEveryId ? count : tally.countBefore(list, before)
      const total = Math.max(0, notNewer - older)
      const offset = (page - 1) * perPage
      if (offset >= total) return { total, rows: [] }
      const isFar = offset > shortSkip
      const left = total - offset
      // The last pages are found from the other end.
      if (isFar && left <= perPage + shortSkip) {
        const toSkip = Math.max(0, left - perPage)
        const found = oldestFirst(list, { from, before, limit: Math.min(perPage, left), offset: toSkip })
        return { total, rows: found.reverse() }
      }
      const end = isFar ? (tally.idAt(list, notNewer - offset) ?? lowest) : before
      return { total, rows: newestFirst(list, { from, before: end, limit: perPage, offset: isFar ? 0 : offset }) }
    },

    /** Lists the unread rows of a list. */
    listUnreadRows(list: List, count: number, { page, perPage }: ListPage, range: DateRange, unread: Unread) {
      const { from: start, before } = bounds(range)
      const from = later(start, unread.from)
      const older = tally.countBefore(list, from)
      const notNewer = before === afterEveryId ? count : tally.countBefore(list, before)
      const without = unread.without.filter((id) => id >= from && id < before)
      const total = Math.max(0, notNewer - older - without.length)
      const offset = (page - 1) * perPage
      if (offset >= total) return { total, rows: [] }
      // Of those that are passed over, the newest ones up to which there are not more unread ones than are left out.
      const unreadAfter = (position: number): number =>
        notNewer - 1 - tally.countBefore(list, without[position] as string) - position
      const passed = firstPosition(without.length, (position) => unreadAfter(position) > offset)
      const skipped = offset + passed
      const to = skipped === 0 ? before : (tally.idAt(list, notNewer - skipped) ?? before)
      return {
        total,
        rows: toStored(unreadBefore.values({ ...list, userId: unread.userId, from, before: to, limit: perPage })),
      }
    },

    findNewestRow: (list: List) => newestFirst(list, { from: lowest, before: afterEveryId, limit: 1 })[0],

    /** The place of a submission among those of the list, and its neighbours. It need not exist. @param count of the list */
    findPlace(list: List, count: number, id: string): Place {
      const [[older, newer, newerCount] = []] = place.values({ ...list, id }) as (string | number | null)[][]
      const isNear = Number(newerCount) <= maxNewer
      return {
        position: isNear ? Number(newerCount) + 1 : count - tally.countBefore(list, id),
        older: (older as string | null) ?? undefined,
        newer: (newer as string | null) ?? undefined,
      }
    },

    countBefore: tally.countBefore,

    /** The returned function may be called long after the submission was found. */
    pieceReader:
      (list: List): FoundSubmissions['readPiece'] =>
      (id, position) =>
        readPiece(list, id, position),
  }
})

/**
 * The first of this many positions for which something is true, as it then is for all that follow; otherwise how many there
 * are.
 */
const firstPosition = (count: number, isTrue: (position: number) => boolean): number => {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isTrue(middle)) to = middle
    else from = middle + 1
  }
  return from
}

const readStatements = (db: Db) => {
  const ofList = inList(submissions)
  const unreadBefore = db
    .select(storedColumns)
    .from(submissions)
    .where(and(ofList, gte(submissions.id, param('from')), lt(submissions.id, param('before')), isUnopened(db)))
    .orderBy(desc(submissions.id))
    .limit(param('limit'))
    .prepare()
  const older = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(ofList, lt(submissions.id, param('id'))))
    .orderBy(desc(submissions.id))
    .limit(1)
  const newer = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(ofList, gt(submissions.id, param('id'))))
    .orderBy(asc(submissions.id))
    .limit(maxNewer + 1)
    .as('newer')
  const place = db
    .select({ older: sql`(${older})`, newer: sql`min(${newer.id})`, newerCount: sql`count(*)` })
    .from(newer)
    .prepare()
  return { unreadBefore, place }
}

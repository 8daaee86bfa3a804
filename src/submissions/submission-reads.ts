import { and, asc, desc, eq, gt, gte, lt, sql } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../db/open.ts'
import { param, submissions } from '../db/tables.ts'
import { inList, type List } from '../forms/lists.ts'
import { afterEveryId, timePrefix } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import type { DateRange } from './date-range.ts'
import { pieceReader } from './pieces.ts'
import { tallyReads } from './tally.ts'
import { isUnopened, later, type Unread } from './unread.ts'

/** Why a submission is spam: the signal that it was judged by, or `marked` by the owner. */
export type Reason = NonNullable<(typeof submissions.$inferSelect)['reason']>

/**
 * A row as SQLite returns it. As objects with named columns, 20 rows took 17 µs instead of 14. `data` is JSON text, or
 * empty for a long submission, whose text is in pieces. `reason` is null in the inbox.
 */
export type StoredSubmission = readonly [id: string, data: string, reason: Reason | null]

/** Newest first. */
export interface FoundSubmissions {
  readonly formId: string
  readonly submissions: readonly StoredSubmission[]
  /**
   * A piece of a long submission in UTF-8, counted from 0; undefined if it has been deleted. pieces.ts says which is
   * the last.
   */
  readPiece(id: string, position: number): Uint8Array | undefined
}

/** Identifiers of submissions. */
export interface Neighbours {
  readonly older: string | undefined
  readonly newer: string | undefined
}

/** Where a submission stands in a list. */
export interface Place extends Neighbours {
  /** Newest first, from 1. */
  readonly position: number
}

/** Up to this many newer submissions are counted one by one: somebody reads the first page of the list. */
const maxNewer = 20

/** Sorts before every identifier. */
const lowest = ''

/** Up to this many rows, skipping them is cheaper than a lookup in the tallies. */
const shortSkip = 100

/** The rows of a list. */
export const submissionReads = oncePerConnection((db: Db) => {
  const tally = tallyReads(db)
  const { one, pageBefore, pageAfter, unreadBefore, place } = readStatements(db)
  const readPiece = pieceReader(db)
  const newestBefore = (list: List, before: string): StoredSubmission | undefined =>
    toRows(pageBefore.values({ ...list, from: lowest, before, limit: 1, offset: 0 }))[0]

  return {
    findRow: (list: List, id: string): StoredSubmission | undefined => toRows(one.values({ ...list, id }))[0],

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
        const found = pageAfter.values({ ...list, from, before, limit: Math.min(perPage, left), offset: toSkip })
        return { total, rows: toRows(found.reverse()) }
      }
      const end = isFar ? tally.idAt(list, notNewer - offset) : before
      const found = pageBefore.values({ ...list, from, before: end, limit: perPage, offset: isFar ? 0 : offset })
      return { total, rows: toRows(found) }
    },

    /** The same of what is unread. */
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
        rows: toRows(unreadBefore.values({ ...list, userId: unread.userId, from, before: to, limit: perPage })),
      }
    },

    findNewestRow: (list: List) => newestBefore(list, afterEveryId),

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

/** The first identifier of a range, and the one before which it ends. */
export const bounds = ({ start, end }: DateRange): { readonly from: string; readonly before: string } => ({
  from: start === null ? lowest : timePrefix(Math.max(0, start)),
  before: end === null ? afterEveryId : timePrefix(Math.max(0, end + 1)),
})

/** The first of this many positions for which something is true, as it then is for all that follow; otherwise how many there are. */
const firstPosition = (count: number, isTrue: (position: number) => boolean): number => {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isTrue(middle)) to = middle
    else from = middle + 1
  }
  return from
}

const toRows = (values: unknown[][]): readonly StoredSubmission[] => values as unknown as StoredSubmission[]

const readStatements = (db: Db) => {
  const row = { id: submissions.id, data: submissions.data, reason: submissions.reason }
  const ofList = inList(submissions)
  const one = db
    .select(row)
    .from(submissions)
    .where(and(ofList, eq(submissions.id, param('id'))))
    .prepare()
  const inRange = and(ofList, gte(submissions.id, param('from')), lt(submissions.id, param('before')))
  const page = (order: typeof asc) =>
    db
      .select(row)
      .from(submissions)
      .where(inRange)
      .orderBy(order(submissions.id))
      .limit(param('limit'))
      .offset(param('offset'))
      .prepare()
  const [pageBefore, pageAfter] = [page(desc), page(asc)]
  const unreadBefore = db
    .select(row)
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
  return { one, pageBefore, pageAfter, unreadBefore, place }
}

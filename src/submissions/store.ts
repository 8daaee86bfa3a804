import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { param, pieces, submissions } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import { notFound } from '../errors.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { afterEveryId, isId, timePrefix } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import type { DateRange } from './date-range.ts'
import type { NewSubmission, SubmissionWrites } from './submission-writes.ts'
import { tallyReads } from './tally.ts'

export type SubmissionStore = ReturnType<typeof openSubmissionStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<SubmissionWrites>
  /** Called when long submissions were deleted, whose pieces are still to be removed. */
  readonly onDeleted: () => void
}

/**
 * As it comes out of SQLite; as objects with named columns 20 of them took 17 µs instead of 14. The data is JSON text, and
 * empty where it is long: then its pieces have it.
 */
export type StoredSubmission = readonly [id: string, data: string]

/** Newest first. */
export interface FoundSubmissions {
  readonly formId: string
  readonly submissions: readonly StoredSubmission[]
  /** One piece of a long one, counted from 0, in UTF-8; undefined when it was deleted. See pieces.ts for which is last. */
  readPiece(id: string, position: number): Uint8Array | undefined
}

/** Sorts before every identifier. */
const lowest = ''

/** A jump so short that stepping over rows is cheaper than looking it up in the tallies. */
const shortSkip = 100

/** Those that name a user throw the AppErrors `not_found` and `forbidden` (another user's form). */
export const openSubmissionStore = ({ reader, findForm, writer, onDeleted }: Options) => {
  const { db } = reader
  const { findOwnForm } = formOwnership(findForm)
  const tally = tallyReads(db)
  const row = { id: submissions.id, data: submissions.data }
  const ofForm = eq(submissions.form, param('form'))
  const one = db
    .select(row)
    .from(submissions)
    .where(and(ofForm, eq(submissions.id, param('id'))))
    .prepare()
  const pageBefore = db
    .select(row)
    .from(submissions)
    .where(and(ofForm, gte(submissions.id, param('from')), lt(submissions.id, param('before'))))
    .orderBy(desc(submissions.id))
    .limit(param('limit'))
    .offset(param('offset'))
    .prepare()

  const piece = db
    .select({ bytes: pieces.bytes })
    .from(pieces)
    .where(
      and(eq(pieces.form, param('form')), eq(pieces.submission, param('id')), eq(pieces.position, param('position'))),
    )
    .prepare()

  /** May be called long after the submission was found. */
  const pieceReader =
    (form: number): FoundSubmissions['readPiece'] =>
    (id, position) => {
      return piece.get({ form, id, position })?.bytes
    }

  const listRows = (form: number, submissionCount: number, { page, perPage }: ListPage, range: DateRange) => {
    const from = range.start === null ? lowest : timePrefix(Math.max(0, range.start))
    const before = range.end === null ? afterEveryId : timePrefix(Math.max(0, range.end + 1))
    const older = from === lowest ? 0 : tally.countBefore(form, from)
    const notNewer = before === afterEveryId ? submissionCount : tally.countBefore(form, before)
    const total = Math.max(0, notNewer - older)
    const offset = (page - 1) * perPage
    if (offset >= total) return { total, rows: [] }
    const isFar = offset > shortSkip
    const end = isFar ? tally.idAt(form, notNewer - offset) : before
    const found = pageBefore.values({ form, from, before: end, limit: perPage, offset: isFar ? 0 : offset })
    return { total, rows: found as unknown as StoredSubmission[] }
  }

  return {
    /** What a submission to the form needs to know of it; undefined when there is no such form. */
    findTarget(formId: string): Form | undefined {
      if (!isId(formId)) return undefined
      return findForm(formId)
    },

    createSubmission: (submission: NewSubmission): Promise<void> =>
      writer.run('createSubmission', submission, submission.data.length),

    findSubmission(userId: string, formId: string, id: string): FoundSubmissions {
      const { number } = findOwnForm(userId, formId)
      const [found] = one.values({ form: number, id }) as unknown as StoredSubmission[]
      if (!found) throw notFound('Submission')
      return { formId, submissions: [found], readPiece: pieceReader(number) }
    },

    /** A page, and how many there are on all pages together. */
    listSubmissions(
      userId: string,
      formId: string,
      page: ListPage,
      range: DateRange,
    ): FoundSubmissions & { readonly total: number } {
      const { number, submissionCount } = findOwnForm(userId, formId)
      const { total, rows } = listRows(number, submissionCount, page, range)
      return { formId, submissions: rows, total, readPiece: pieceReader(number) }
    },

    async deleteSubmissions(userId: string, formId: string, ids: readonly string[]): Promise<void> {
      const isMoreLeft = await writer.run('deleteSubmissions', { userId, formId, ids })
      if (isMoreLeft) onDeleted()
    },
  }
}

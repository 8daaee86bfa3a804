import { and, asc, desc, eq, gt, gte, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import type { Reader } from '../db/reader.ts'
import { param, submissions } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import { notFound } from '../errors.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { isNew } from '../forms/unseen.ts'
import { afterEveryId, isId, timePrefix } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import { activityReader } from './activity.ts'
import type { DateRange } from './date-range.ts'
import { pieceReader } from './pieces.ts'
import type { NewSubmission, SubmissionWrites } from './submission-writes.ts'
import { tallyReads } from './tally.ts'

export type SubmissionStore = ReturnType<typeof openSubmissionStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<SubmissionWrites>
  /** Called after long submissions were deleted. Their pieces still have to be removed. */
  readonly onDeleted: () => void
  /** Called after a submission was stored of which somebody is to be told. */
  readonly onDue: () => void
}

/**
 * A row as SQLite returns it. As objects with named columns, 20 rows took 17 µs instead of 14. `data` is JSON text, or
 * empty for a long submission, whose text is in pieces.
 */
export type StoredSubmission = readonly [id: string, data: string]

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
interface Neighbours {
  readonly older: string | undefined
  readonly newer: string | undefined
}

/**
 * Functions with a `userId` throw the AppErrors `not_found` and `forbidden` (another user's form). Those with a `form`
 * trust their caller, who has just read it: what it holds and what is read for it must be of one turn of the event loop.
 */
export const openSubmissionStore = ({ reader, findForm, writer, onDeleted, onDue }: Options) => {
  const { findOwnForm } = formOwnership(findForm)
  const { findRow, listRows, findNewestRow, findNeighbours, countBefore, pieceReader } = submissionReads(reader.db)

  return {
    /** The form that a visitor submits to; undefined if it does not exist. */
    findTarget: (formId: string): Form | undefined => (isId(formId) ? findForm(formId) : undefined),

    async createSubmission(submission: NewSubmission): Promise<void> {
      const isTelling = await writer.run('createSubmission', submission, submission.data.length)
      if (isTelling) onDue()
    },

    findSubmission(userId: string, formId: string, id: string): FoundSubmissions {
      const { number } = findOwnForm(userId, formId)
      const found = findRow(number, id)
      if (!found) throw notFound('Submission')
      return { formId, submissions: [found], readPiece: pieceReader(number) }
    },

    /** One page. `total` counts the submissions on all pages. */
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

    /** Undefined if there is none. */
    findNewest(form: Form): FoundSubmissions | undefined {
      const found = form.submissionCount === 0 ? undefined : findNewestRow(form.number)
      return found && { formId: form.id, submissions: [found], readPiece: pieceReader(form.number) }
    },

    /** The submissions before and after this one, which need not exist. */
    findNeighbours: (form: Form, id: string): Neighbours => findNeighbours(form.number, id),

    /** How many submissions are new to the form's owner: those for which `isNew` (forms/unseen.ts) is true. */
    countNew: (form: Form): number =>
      isNew(form, form.latestId) ? form.submissionCount - countBefore(form.number, form.unseenFrom) : 0,

    /** See activity.ts. */
    countByDay: activityReader(reader.db),

    async deleteSubmissions(userId: string, formId: string, ids: readonly string[]): Promise<void> {
      const isMoreLeft = await writer.run('deleteSubmissions', { userId, formId, ids })
      if (isMoreLeft) onDeleted()
    },
  }
}

/** Sorts before every identifier. */
const lowest = ''

/** Up to this many rows, skipping them is cheaper than a lookup in the tallies. */
const shortSkip = 100

/** The rows of a form, which is named by its number. */
const submissionReads = (db: Db) => {
  const tally = tallyReads(db)
  const { one, pageBefore, after } = readStatements(db)
  const readPiece = pieceReader(db)
  const newestBefore = (form: number, before: string): StoredSubmission | undefined =>
    toRows(pageBefore.values({ form, from: lowest, before, limit: 1, offset: 0 }))[0]

  return {
    findRow: (form: number, id: string): StoredSubmission | undefined => toRows(one.values({ form, id }))[0],

    listRows(form: number, submissionCount: number, { page, perPage }: ListPage, range: DateRange) {
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
      return { total, rows: toRows(found) }
    },

    findNewestRow: (form: number) => newestBefore(form, afterEveryId),

    findNeighbours: (form: number, id: string): Neighbours => ({
      older: newestBefore(form, id)?.[0],
      newer: after.get({ form, id })?.id,
    }),

    countBefore: tally.countBefore,

    /** The returned function may be called long after the submission was found. */
    pieceReader:
      (form: number): FoundSubmissions['readPiece'] =>
      (id, position) =>
        readPiece(form, id, position),
  }
}

const toRows = (values: unknown[][]): readonly StoredSubmission[] => values as unknown as StoredSubmission[]

const readStatements = (db: Db) => {
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
  const after = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(ofForm, gt(submissions.id, param('id'))))
    .orderBy(asc(submissions.id))
    .limit(1)
    .prepare()
  return { one, pageBefore, after }
}

import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { param, submissions } from '../db/tables.ts'
import type { Writer } from '../db/writer.ts'
import { notFound } from '../errors.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { type Page, paginationJson } from '../http/pagination.ts'
import { createdAt, isId, timePrefix } from '../id.ts'
import type { DateRange } from './date-range.ts'
import { tallyReads } from './tally.ts'
import type { NewSubmission, SubmissionWrites } from './writes.ts'

export type SubmissionStore = ReturnType<typeof openSubmissionStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<SubmissionWrites>
  /** When the clean-up goes on after a write of it was refused. */
  readonly retryMilliseconds?: number
}

/** As it comes out of SQLite; as objects with named columns 20 of them took 17 µs instead of 14. */
type Row = readonly [id: string, data: string]

/** Sorts before and after every identifier. */
const lowest = ''
const highest = '~'

/** A jump so short that stepping over rows is cheaper than looking it up in the tallies. */
const shortSkip = 100

/** Rows that one write of the clean-up removes: few, for other writes wait behind it. */
const sliceRows = 500

/** Those that name a user throw the AppErrors `not_found` and `forbidden` (another user's form). */
export const openSubmissionStore = ({ reader, findForm, writer, retryMilliseconds = 60_000 }: Options) => {
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

  const listRows = (form: number, submissionCount: number, { page, perPage }: Page, range: DateRange) => {
    const from = range.start === null ? lowest : timePrefix(Math.max(0, range.start))
    const before = range.end === null ? highest : timePrefix(Math.max(0, range.end + 1))
    const older = from === lowest ? 0 : tally.countBefore(form, from)
    const notNewer = before === highest ? submissionCount : tally.countBefore(form, before)
    const total = Math.max(0, notNewer - older)
    const offset = (page - 1) * perPage
    if (offset >= total) return { total, rows: [] }
    const isFar = offset > shortSkip
    const end = isFar ? tally.idAt(form, notNewer - offset) : before
    const found = pageBefore.values({ form, from, before: end, limit: perPage, offset: isFar ? 0 : offset })
    return { total, rows: found as unknown as Row[] }
  }

  let isRemoving = false
  let isMoreDeleted = false

  /** Removes what deleted forms have left, slice by slice, between the other writes. */
  const removeDeleted = async (): Promise<void> => {
    isMoreDeleted = true
    if (isRemoving) return
    isRemoving = true
    try {
      while (isMoreDeleted) isMoreDeleted = await writer.run('removeDeletedSlice', { limit: sliceRows })
    } catch {
      // A full disk or queue: the rest goes later. At the end of the process, it goes after the next start.
      if (writer.isOpen()) setTimeout(removeDeleted, retryMilliseconds).unref()
    } finally {
      isRemoving = false
    }
  }

  return {
    /** What a submission to the form needs to know of it; undefined when there is no such form. */
    findTarget(formId: string): Form | undefined {
      if (!isId(formId)) return undefined
      reader.refresh()
      return findForm(formId)
    },

    createSubmission: (submission: NewSubmission): Promise<void> =>
      writer.run('createSubmission', submission, submission.data.length),

    /** JSON text of a Submission. */
    findSubmission(userId: string, formId: string, id: string): string {
      reader.refresh()
      const form = findOwnForm(userId, formId)
      const found = one.get({ form: form.number, id })
      if (!found) throw notFound('Submission')
      return toJson(formId, [found.id, found.data])
    },

    /** JSON text of a page, newest first. */
    listSubmissions(userId: string, formId: string, page: Page, range: DateRange): string {
      reader.refresh()
      const form = findOwnForm(userId, formId)
      const { total, rows } = listRows(form.number, form.submissionCount, page, range)
      const items = rows.map((row) => toJson(formId, row)).join()
      return `{"submissions":[${items}],"pagination":${paginationJson(page, total)}}`
    },

    deleteSubmissions: (userId: string, formId: string, ids: readonly string[]): Promise<void> =>
      writer.run('deleteSubmissions', { userId, formId, ids }),

    removeDeleted,
  }
}

const toJson = (formId: string, [id, data]: Row): string =>
  `{"id":"${id}","formId":"${formId}","data":${data},"createdAt":"${createdAt(id)}"}`

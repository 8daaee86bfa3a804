import type { Reader } from '../db/reader.ts'
import type { Writer } from '../db/writer/writer.ts'
import { notFound } from '../errors.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { isNew } from '../forms/unseen.ts'
import { isId } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import { keptResult, type Repeatable } from '../once/once.ts'
import { activityReader } from './activity.ts'
import type { DateRange } from './date-range.ts'
import { tooOldBefore } from './retention.ts'
import { type FoundSubmissions, type Neighbours, submissionReads } from './submission-reads.ts'
import type { NewSubmission, SubmissionWrites } from './submission-writes.ts'

export type SubmissionStore = ReturnType<typeof openSubmissionStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<SubmissionWrites>
  readonly now: () => number
  /** Called after long submissions were deleted. Their pieces still have to be removed. */
  readonly onDeleted: () => void
  /** Called after a submission was stored of which somebody is to be told. */
  readonly onDue: () => void
}

/**
 * Functions with a `userId` throw the AppErrors `not_found` and `forbidden` (another user's form). Those with a `form`
 * trust their caller, who has just read it: what it holds and what is read for it must be of one turn of the event loop.
 */
export const openSubmissionStore = ({ reader, findForm, writer, now, onDeleted, onDue }: Options) => {
  const { findOwnForm } = formOwnership(findForm)
  const { findRow, listRows, findNewestRow, findNeighbours, countBefore, pieceReader } = submissionReads(reader.db)

  return {
    /** The form that a visitor submits to; undefined if it does not exist. */
    findTarget: (formId: string): Form | undefined => (isId(formId) ? findForm(formId) : undefined),

    /**
     * Returns its identifier, or that of the first submission if this one is a repeat.
     *
     * @param repeatable what its `once` is of
     */
    async createSubmission(submission: NewSubmission, repeatable?: Repeatable): Promise<string> {
      const outcome = await writer.run('createSubmission', submission, submission.data.length)
      if (outcome !== true) return keptResult(outcome, repeatable) ?? submission.id
      onDue()
      return submission.id
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

    /** How many submissions a form deletes whose setting `retentionDays` becomes this. */
    countOlder: (form: Form, retentionDays: number): number =>
      form.submissionCount === 0 ? 0 : countBefore(form.number, tooOldBefore(retentionDays, now())),

    /** See activity.ts. */
    countByDay: activityReader(reader.db),

    async deleteSubmissions(userId: string, formId: string, ids: readonly string[]): Promise<void> {
      const isMoreLeft = await writer.run('deleteSubmissions', { userId, formId, ids })
      if (isMoreLeft) onDeleted()
    },
  }
}

import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { abandonedPieces, forms, param, submissions } from '../db/tables.ts'
import { together } from '../db/writer/batch.ts'
import { notFound } from '../errors.ts'
import { fieldNameWrites } from '../forms/field-names.ts'
import { formOwnership, formReader, liveForm } from '../forms/ownership.ts'
import { refuseIfClosed } from '../forms/settings.ts'
import { enqueuer } from '../outbox/enqueue.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { formTotals } from './form-totals.ts'
import { isLong, pieceWriter } from './pieces.ts'
import { removalInSlices } from './removal.ts'
import { tallyWrites } from './tally.ts'

export interface NewSubmission {
  readonly formId: string
  readonly id: string
  /** JSON object. */
  readonly data: string
  readonly fieldNames: readonly string[]
  /** The visitor's subject for e-mails about it: one line of at most 200 characters. */
  readonly subject?: string | null | undefined
}

export type SubmissionWrites = ReturnType<typeof submissionWrites>

export const submissionWrites = (db: Db) => {
  const tally = tallyWrites(db)
  const totals = formTotals(db)
  const { findOwnForm } = formOwnership(formReader(db))
  const statements = writeStatements(db)
  const { remove, abandon } = statements
  const deliveries = deliveryRemoval(db)
  const addTo = submissionAdder(db, tally, totals, statements)

  return {
    /** Returns true if there is somebody to tell. */
    createSubmission: together((submissions: readonly NewSubmission[]): (true | undefined)[] => {
      const byForm = Map.groupBy(submissions, (submission) => submission.formId)
      const telling = new Set([...byForm].filter(([formId, ofForm]) => addTo(formId, ofForm)).map(([formId]) => formId))
      return submissions.map(({ formId }) => (telling.has(formId) ? true : undefined))
    }),

    /**
     * Deletes all of them or none. A repeated identifier counts once. Returns true if some were long: their pieces
     * remain, and `removeDeletedSlice` has to follow. Removing a thousand submissions of 2 MiB at once would delay
     * every other write.
     */
    deleteSubmissions(input: { userId: string; formId: string; ids: readonly string[] }): boolean {
      const { number: form } = findOwnForm(input.userId, input.formId)
      const ids = new Set(input.ids)
      let isMoreLeft = false
      for (const id of ids) {
        const removed = remove.get({ form, id })
        if (!removed) throw notFound('Submission')
        tally.remove(form, id)
        if (removed.data !== '') continue
        abandon.run({ form, id })
        isMoreLeft = true
      }
      totals.remove(form, ids.size)
      deliveries.ofSubmissions(form, ids)
      return isMoreLeft
    },

    removeDeletedSlice: removalInSlices(db),
  }
}

/**
 * Adds submissions to a form, and what is stored about them: totals, tallies, the names of their fields, and whom to
 * tell. Returns whether there is somebody.
 */
const submissionAdder = (
  db: Db,
  tally: ReturnType<typeof tallyWrites>,
  totals: ReturnType<typeof formTotals>,
  { target, insert }: ReturnType<typeof writeStatements>,
) => {
  const { addFieldNames } = fieldNameWrites(db)
  const writePieces = pieceWriter(db)
  const enqueue = enqueuer(db)

  const add = (form: number, { id, data }: NewSubmission): void => {
    insert.run({ form, id, data: isLong(data) ? '' : data })
    writePieces(form, id, data)
  }

  return (formId: string, added: readonly NewSubmission[]): boolean => {
    const form = target.get({ formId })
    if (!form) throw notFound('Form')
    refuseIfClosed(form)
    const ids = added.map(({ id }) => id).sort()
    tally.add(form.number, ids)
    for (const submission of added) add(form.number, submission)
    totals.add(form.number, ids)
    addFieldNames(form, added)
    if (form.receiverCount === 0) return false
    enqueue(form.number, added)
    return true
  }
}

const writeStatements = (db: Db) => {
  const target = db
    .select({
      number: forms.number,
      fieldNames: forms.fieldNames,
      settings: forms.settings,
      receiverCount: forms.receiverCount,
    })
    .from(forms)
    .where(and(eq(forms.id, param('formId')), liveForm))
    .prepare()
  const insert = db
    .insert(submissions)
    .values({ form: param('form'), id: param('id'), data: param('data') })
    .prepare()
  const remove = db
    .delete(submissions)
    .where(and(eq(submissions.form, param('form')), eq(submissions.id, param('id'))))
    .returning({ data: submissions.data })
    .prepare()
  const abandon = db
    .insert(abandonedPieces)
    .values({ form: param('form'), submission: param('id') })
    .prepare()
  return { target, insert, remove, abandon }
}

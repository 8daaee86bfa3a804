import { and, eq } from 'drizzle-orm'
import { challengeSpender, type SpentChallenge } from '../challenge/challenge-writes.ts'
import type { Db } from '../db/open.ts'
import { forms, param } from '../db/tables.ts'
import { together } from '../db/writer/batch.ts'
import { notFound } from '../errors.ts'
import { fieldNameWrites } from '../forms/field-names.ts'
import { formOwnership, formReader, liveForm } from '../forms/ownership.ts'
import { refuseIfClosed } from '../forms/settings.ts'
import type { First, Once } from '../once/once.ts'
import { requestKeeper } from '../once/once-writes.ts'
import { enqueuer } from '../outbox/enqueue.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { formTotals } from './form-totals.ts'
import { removalInSlices } from './removal.ts'
import { oldSubmissionRemoval } from './retention.ts'
import { submissionRows } from './rows.ts'
import { clockCheck } from './steady-clock.ts'

export interface NewSubmission {
  readonly formId: string
  readonly id: string
  /** JSON object. */
  readonly data: string
  readonly fieldNames: readonly string[]
  /** The visitor's subject for e-mails about it: one line of at most 200 characters. */
  readonly subject?: string | null | undefined
  /** What the visitor's browser has solved. The submission is refused if it was used before. */
  readonly challenge?: SpentChallenge | undefined
  /** The request, if it came with a key. What is kept of it is the submission's identifier. */
  readonly once?: Once | undefined
}

export type SubmissionWrites = ReturnType<typeof submissionWrites>

export const submissionWrites = (db: Db) => {
  const rows = submissionRows(db)
  const totals = formTotals(db)
  const { findOwnForm } = formOwnership(formReader(db))
  const deliveries = deliveryRemoval(db)
  const addTo = submissionAdder(db, rows, totals)
  const keep = requestKeeper(db)

  return {
    /**
     * Returns true if there is somebody to tell, and the first request for a repeat, which adds nothing. A repeat is not
     * refused: then each command of its batch would be executed alone.
     */
    createSubmission: together((submissions: readonly NewSubmission[]): (First | true | undefined)[] => {
      const firsts = submissions.map(({ once, id }) => keep(once, id))
      const byForm = Map.groupBy(
        submissions.filter((_, position) => !firsts[position]),
        (submission) => submission.formId,
      )
      const telling = new Set([...byForm].filter(([formId, ofForm]) => addTo(formId, ofForm)).map(([formId]) => formId))
      return submissions.map(({ formId }, position) => firsts[position] ?? (telling.has(formId) ? true : undefined))
    }),

    /**
     * Deletes all of them or none. A repeated identifier counts once. Returns true if some were long: their pieces
     * remain, and `removeDeletedSlice` has to follow. Removing a thousand submissions of 2 MiB at once would delay
     * every other write.
     */
    deleteSubmissions(input: { userId: string; formId: string; ids: readonly string[] }): boolean {
      const { number: form } = findOwnForm(input.userId, input.formId)
      const ids = new Set(input.ids)
      const isMoreLeft = rows.remove(form, ids)
      totals.remove(form, ids.size)
      deliveries.ofSubmissions(form, ids)
      return isMoreLeft
    },

    removeDeletedSlice: removalInSlices(db),
    checkClock: clockCheck(db),
    removeOldSubmissions: oldSubmissionRemoval(db),
  }
}

/**
 * Adds submissions to a form, and what is stored about them: totals, tallies, the names of their fields, and whom to
 * tell. Returns whether there is somebody.
 */
const submissionAdder = (db: Db, rows: ReturnType<typeof submissionRows>, totals: ReturnType<typeof formTotals>) => {
  const { addFieldNames } = fieldNameWrites(db)
  const enqueue = enqueuer(db)
  const spend = challengeSpender(db)
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

  return (formId: string, added: readonly NewSubmission[]): boolean => {
    const form = target.get({ formId })
    if (!form) throw notFound('Form')
    refuseIfClosed(form)
    for (const { challenge } of added) if (challenge) spend(challenge)
    totals.add(form.number, rows.add(form.number, added))
    addFieldNames(form, added)
    if (form.receiverCount === 0) return false
    enqueue(form.number, added)
    return true
  }
}

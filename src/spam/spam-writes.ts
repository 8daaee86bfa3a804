import { challengeSpender, type SpentChallenge } from '../challenge/challenge-writes.ts'
import type { Db } from '../db/open.ts'
import { together } from '../db/writer/batch.ts'
import { notFound } from '../errors.ts'
import { fieldNameWrites } from '../forms/field-names.ts'
import { formOwnership, formReader } from '../forms/ownership.ts'
import { refuseIfClosed } from '../forms/settings.ts'
import { spamCounter } from '../forms/spam-count.ts'
import type { First, Once } from '../once/once.ts'
import { requestKeeper } from '../once/once-writes.ts'
import { enqueuer } from '../outbox/enqueue.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { formTotals } from '../submissions/form-totals.ts'
import { submissionRows } from '../submissions/rows.ts'
import { fieldsIn } from '../submissions/sent-fields.ts'
import { textReader } from '../submissions/text-reader.ts'
import { oldSpamRemoval } from './removal.ts'
import { spamFormMaker, spamFormRemover } from './spam-form.ts'

export interface NewSpam {
  readonly formId: string
  readonly id: string
  /** JSON object. */
  readonly data: string
  /** The signal that it was judged by. */
  readonly reason: 'honeypot' | 'terms' | 'links'
  /** As for a submission: the answer to a robot is the same. */
  readonly challenge?: SpentChallenge | undefined
  readonly once?: Once | undefined
}

/** One submission of a form of this user. */
interface Chosen {
  readonly userId: string
  readonly formId: string
  readonly id: string
  readonly now: number
}

export type SpamWrites = ReturnType<typeof spamWrites>

/** A form's spam is the submissions of another row (see spam-form.ts). */
export const spamWrites = (db: Db) => {
  const rows = submissionRows(db)
  const totals = formTotals(db)
  const findForm = formReader(db)
  const { findOwnForm } = formOwnership(findForm)
  const { addFieldNames } = fieldNameWrites(db)
  const enqueue = enqueuer(db)
  const deliveries = deliveryRemoval(db)
  const readText = textReader(db)
  const spamFormOf = spamFormMaker(db)
  const removeSpamForm = spamFormRemover(db)
  const countSpam = spamCounter(db)
  const spend = challengeSpender(db)
  const keep = requestKeeper(db)

  return {
    /** Returns the first request for a repeat, which adds nothing. */
    createSpam: together((spam: readonly NewSpam[]): (First | undefined)[] => {
      const firsts = spam.map(({ once, id }) => keep(once, id))
      const added = spam.filter((_, position) => !firsts[position])
      for (const [formId, ofForm] of Map.groupBy(added, (one) => one.formId)) {
        const form = findForm(formId)
        if (!form) throw notFound('Form')
        refuseIfClosed(form)
        for (const { challenge } of ofForm) if (challenge) spend(challenge)
        const spamForm = spamFormOf(form)
        totals.add(spamForm, rows.add(spamForm, ofForm))
      }
      return firsts
    }),

    /** Moves a submission out of the list. Who has not been told of it yet is not told. */
    markSpam({ userId, formId, id, now }: Chosen): void {
      const form = findOwnForm(userId, formId)
      const spamForm = spamFormOf(form)
      rows.move(form.number, spamForm, id, { reason: 'marked', markedAt: now })
      totals.remove(form.number, 1)
      totals.add(spamForm, [id])
      deliveries.pendingOfSubmission(form.number, id)
    },

    /**
     * Moves spam into the list, as if it had been taken for none. It is not new to the owner, unless an older submission
     * is. Returns true if there is somebody to tell.
     */
    acceptSpam({ userId, formId, id, now }: Chosen): boolean {
      const form = findOwnForm(userId, formId)
      if (form.spamForm === null) throw notFound('Submission')
      const hadNew = totals.hasNew(form)
      rows.move(form.spamForm, form.number, id, { reason: null, markedAt: null })
      totals.remove(form.spamForm, 1)
      totals.import(form.number, 1, !hadNew)
      const fieldNames = fieldsIn(readText(form.number, id) ?? '').map(({ name }) => name)
      addFieldNames(form, [{ fieldNames }])
      if (form.receiverCount === 0) return false
      enqueue(form.number, [{ id, at: now }])
      return true
    },

    /** Deletes all of them or none. Returns the same as `deleteSubmissions`. */
    deleteSpam(input: { userId: string; formId: string; ids: readonly string[] }): boolean {
      const { number, spamForm } = findOwnForm(input.userId, input.formId)
      if (spamForm === null) throw notFound('Submission')
      const ids = new Set(input.ids)
      const isMoreLeft = rows.remove(spamForm, ids)
      totals.remove(spamForm, ids.size)
      deliveries.ofSubmissions(number, ids)
      return isMoreLeft
    },

    /** Readers no longer find any; the rows are removed later, in slices. Returns how many there were. */
    deleteAllSpam(input: { userId: string; formId: string; now: number }): number {
      const form = findOwnForm(input.userId, input.formId)
      const deleted = countSpam(form)
      if (deleted > 0) removeSpamForm(form, input.now)
      return deleted
    },

    removeOldSpam: oldSpamRemoval(db),
  }
}

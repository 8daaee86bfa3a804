import { and, asc, eq, gte, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, hasRetention, param, submissions } from '../db/tables.ts'
import { liveForm } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { timePrefix } from '../id.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { formTotals } from './form-totals.ts'
import { submissionRows } from './rows.ts'

interface Sweep {
  /** Forms from this number on are still to be looked at. */
  readonly form: number
  /** Unix milliseconds. */
  readonly now: number
  /** What is looked at and deleted at most. */
  readonly maxForms: number
  readonly maxRows: number
}

interface Swept {
  /** The number of the form to continue with; null after the last one. */
  readonly next: number | null
  /** Whether long submissions were deleted, whose pieces have to be removed. */
  readonly isMoreLeft: boolean
}

const dayMilliseconds = 86_400_000

/** Submissions with smaller identifiers are too old to be kept. @param now Unix milliseconds */
export const tooOldBefore = (retentionDays: number, now: number): string =>
  timePrefix(Math.max(0, now - retentionDays * dayMilliseconds))

/**
 * Deletes part of the submissions that are older than the settings of their forms say. Reads only forms that have the
 * setting, and of a form with nothing to delete only its row and its oldest submission.
 */
export const oldSubmissionRemoval = (db: Db): ((sweep: Sweep) => Swept) => {
  const rows = submissionRows(db)
  const totals = formTotals(db)
  const deliveries = deliveryRemoval(db)
  const { formsFrom, oldest } = statements(db)

  return ({ form: start, now, maxForms, maxRows }) => {
    const found = formsFrom.all({ form: start, limit: maxForms })
    let isMoreLeft = false
    let rest = maxRows
    for (const { number: form, settings } of found) {
      const { retentionDays } = parseSettings(settings)
      if (retentionDays === null) continue
      const old = oldest.all({ form, end: tooOldBefore(retentionDays, now), limit: rest })
      if (old.length === 0) continue
      const ids = new Set(old.map(({ id }) => id))
      if (rows.remove(form, ids)) isMoreLeft = true
      totals.remove(form, ids.size)
      deliveries.ofSubmissions(form, ids)
      rest -= ids.size
      if (rest === 0) return { next: form, isMoreLeft }
    }
    const last = found.length === maxForms ? found.at(-1) : undefined
    return { next: last ? last.number + 1 : null, isMoreLeft }
  }
}

/** Whether submissions of any form are deleted for their age. Without one, the writer need not be asked. */
export const retentionReads = (db: Db): { hasRetention: () => boolean } => {
  const first = db.select({ number: forms.number }).from(forms).where(hasRetention(forms.settings)).limit(1).prepare()
  return { hasRetention: () => first.get() !== undefined }
}

const statements = (db: Db) => {
  const formsFrom = db
    .select({ number: forms.number, settings: forms.settings })
    .from(forms)
    .where(and(gte(forms.number, param('form')), hasRetention(forms.settings), liveForm))
    .orderBy(asc(forms.number))
    .limit(param('limit'))
    .prepare()
  const oldest = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(eq(submissions.form, param('form')), lt(submissions.id, param('end'))))
    .orderBy(asc(submissions.id))
    .limit(param('limit'))
    .prepare()
  return { formsFrom, oldest }
}

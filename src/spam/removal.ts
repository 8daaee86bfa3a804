import { and, asc, eq, gte, isNotNull, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param, submissions } from '../db/tables.ts'
import { liveForm } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { afterEveryId, creationTime, timePrefix } from '../id.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { formTotals } from '../submissions/form-totals.ts'
import { submissionRows } from '../submissions/rows.ts'

/** How far the removal of old spam has come. */
export interface SpamPosition {
  readonly spamForm: number
  /** Spam of it from this identifier on is still to be looked at. */
  readonly from: string
}

interface Sweep extends SpamPosition {
  /** Unix milliseconds. */
  readonly now: number
  readonly maxRows: number
}

interface Swept {
  /** Where to continue; null after the last form. */
  readonly next: SpamPosition | null
  /** Whether long submissions were deleted, whose pieces have to be removed. */
  readonly isMoreLeft: boolean
}

const dayMilliseconds = 86_400_000

/**
 * Deletes what has been spam for as many days as the settings of its form say, of up to `maxRows` rows of one form. What
 * was marked counts from then on, however old the submission is, so that there is time to put it right.
 */
export const oldSpamRemoval = (db: Db): ((sweep: Sweep) => Swept) => {
  const rows = submissionRows(db)
  const totals = formTotals(db)
  const deliveries = deliveryRemoval(db)
  const { nextForm, oldest } = statements(db)

  return ({ spamForm: start, from: begin, now, maxRows }) => {
    const found = nextForm.get({ spamForm: start })
    const form = found?.spamForm
    if (!found || typeof form !== 'number') return { next: null, isMoreLeft: false }
    const end = now - parseSettings(found.settings).spamDays * dayMilliseconds
    const from = form === start ? begin : ''
    const looked = oldest.all({ form, from, end: timePrefix(Math.max(0, end)), limit: maxRows })
    const old = looked.filter(({ id, markedAt }) => (markedAt ?? creationTime(id)) < end)
    const ids = new Set(old.map(({ id }) => id))
    const isMoreLeft = rows.remove(form, ids)
    if (ids.size > 0) totals.remove(form, ids.size)
    deliveries.ofSubmissions(found.number, ids)
    const last = looked.length === maxRows ? looked.at(-1) : undefined
    return {
      next: last ? { spamForm: form, from: `${last.id}${afterEveryId}` } : { spamForm: form + 1, from: '' },
      isMoreLeft,
    }
  }
}

/** Whether any form has ever had spam. Without it, the writer need not be asked. */
export const spamReads = (db: Db): { hasSpam: () => boolean } => {
  const first = db.select({ number: forms.number }).from(forms).where(isNotNull(forms.spamForm)).limit(1).prepare()
  return { hasSpam: () => first.get() !== undefined }
}

const statements = (db: Db) => {
  const nextForm = db
    .select({ number: forms.number, spamForm: forms.spamForm, settings: forms.settings })
    .from(forms)
    .where(and(gte(forms.spamForm, param('spamForm')), liveForm))
    .orderBy(asc(forms.spamForm))
    .limit(1)
    .prepare()
  const oldest = db
    .select({ id: submissions.id, markedAt: submissions.markedAt })
    .from(submissions)
    .where(
      and(eq(submissions.form, param('form')), gte(submissions.id, param('from')), lt(submissions.id, param('end'))),
    )
    .orderBy(asc(submissions.id))
    .limit(param('limit'))
    .prepare()
  return { nextForm, oldest }
}

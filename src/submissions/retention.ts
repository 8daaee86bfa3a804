import { and, asc, gte, lt, type SQL } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { afterEveryId, creationTime } from '../base/id.ts'
import { liveForm } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import type { Db } from '../storage/open.ts'
import { forms, param, submissions } from '../storage/tables.ts'
import { tooOldBefore } from './date-range.ts'
import { inList, type ListName, listOf, lists, ofEachList } from './lists.ts'
import { submissionRows } from './rows.ts'

/** How far the removal of old submissions has come in the lists of one name. */
export interface SweepPosition {
  /** Number of a form: it and those after it are still to be looked at. */
  readonly form: number
  /** The first identifier to go on from in that form. */
  readonly from: string
}

interface Sweep extends SweepPosition {
  readonly list: ListName
  /** Unix milliseconds. */
  readonly now: number
  /** Rows that are looked at at most. */
  readonly maxForms: number
  readonly maxRows: number
}

interface Swept {
  /** Where to continue; null after the last form. */
  readonly next: SweepPosition | null
  /** Whether long submissions were deleted, whose pieces have to be removed. */
  readonly isMoreLeft: boolean
}

/**
 * Deletes part of the submissions and of the spam that are older than the settings of their forms say. Spam that was marked
 * counts from then on, however old the submission is, so that there is time to put it right. Only forms that may have
 * something to delete are read, and of one that has nothing only its row and its oldest submission.
 */
export const oldSubmissionRemoval = (db: Db): ((sweep: Sweep) => Swept) => {
  const rows = submissionRows(db)
  const deliveries = deliveryRemoval(db)
  const formsFrom = ofEachList(({ swept }) => swept && formStatement(db, swept.isIn))
  const oldest = db
    .select({ id: submissions.id, markedAt: submissions.markedAt })
    .from(submissions)
    .where(and(inList(submissions), gte(submissions.id, param('from')), lt(submissions.id, param('end'))))
    .orderBy(asc(submissions.id))
    .limit(param('limit'))
    .prepare()

  return ({ list: name, form: start, from: begin, now, maxForms, maxRows }) => {
    const found = formsFrom[name]?.all({ form: start, limit: maxForms }) ?? []
    let isMoreLeft = false
    let rest = maxRows
    for (const form of found) {
      const days = lists[name].swept?.days(parseSettings(form.settings)) ?? null
      if (days === null) continue
      const from = form.number === start ? begin : ''
      const looked = oldest.all({ ...listOf(form, name), from, end: tooOldBefore(days, now), limit: rest })
      const isOld = ({ id, markedAt }: (typeof looked)[number]): boolean =>
        (markedAt ?? creationTime(id)) < now - days * dayMilliseconds
      const ids = new Set(looked.filter(isOld).map(({ id }) => id))
      if (rows.remove(form, name, ids)) isMoreLeft = true
      deliveries.ofSubmissions(form.number, ids)
      rest -= looked.length
      const last = looked.at(-1)
      if (rest === 0 && last) return { next: { form: form.number, from: `${last.id}${afterEveryId}` }, isMoreLeft }
    }
    const last = found.length === maxForms ? found.at(-1) : undefined
    return { next: last ? { form: last.number + 1, from: '' } : null, isMoreLeft }
  }
}

const formStatement = (db: Db, condition: SQL) =>
  db
    .select({
      number: forms.number,
      spamList: forms.spamList,
      settings: forms.settings,
      lessonChanges: forms.lessonChanges,
    })
    .from(forms)
    .where(and(gte(forms.number, param('form')), condition, liveForm))
    .orderBy(asc(forms.number))
    .limit(param('limit'))
    .prepare()

import { and, eq } from 'drizzle-orm'
import type { Readable } from '../../forms/access.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import { param, submissions } from '../../storage/tables.ts'
import { inList, listOf } from '../lists.ts'
import type { Reason } from '../stored-submission.ts'

/** The newest ones that are counted: more would take some milliseconds of the main thread. */
export const maxCounted = 2000

const reasons = submissions.reason.enumValues

const countNewest = statement(
  `SELECT reason, count(*) AS count FROM (
    SELECT reason FROM submissions WHERE form = $form AND list = $list ORDER BY id DESC LIMIT ${maxCounted}) AS lately
   GROUP BY reason`,
  { reason: submissions.reason, count: computed<number>() },
)

/** Why submissions are held back. */
export const spamReasonReads = oncePerConnection((db: Db) => {
  const countNewestOf = countNewest(db)
  const reasonOf = db
    .select({ reason: submissions.reason })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()

  return {
    /** How many of the newest spam are held for each reason; those that hold none are left out. */
    countReasons(form: Readable<'number' | 'spamList'>): readonly (readonly [Reason, number])[] {
      const found = new Map(countNewestOf.all({ ...listOf(form, 'spam') }).map(({ reason, count }) => [reason, count]))
      return reasons.flatMap((reason) => {
        const count = found.get(reason)
        return count === undefined ? [] : [[reason, count] as const]
      })
    },

    isHeldFor: (form: Readable<'number' | 'spamList'>, reason: Reason, id: string): boolean =>
      reasonOf.get({ ...listOf(form, 'spam'), id })?.reason === reason,
  }
})

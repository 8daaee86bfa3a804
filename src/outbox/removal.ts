import { and, asc, eq, gte, lt, lte, sql } from 'drizzle-orm'
import { afterEveryId, commonStart } from '../base/id.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { deliveries, is, literal, param, receivers } from '../storage/tables.ts'
import { deliveryCounter } from './counts.ts'
import { digestWrites } from './digests.ts'
import { deliveryKinds, isAboutOne } from './kinds.ts'

type Removed = Pick<typeof deliveries.$inferSelect, 'receiver' | 'state'>

/** Deletes deliveries, and keeps the counts of their receivers. */
export const deliveryRemoval = oncePerConnection((db: Db) => {
  const queries = statements(db)
  const digests = digestWrites(db)
  const countOne = deliveryCounter(db)

  const count = (removed: readonly Removed[]): void => {
    for (const [receiver, rows] of Map.groupBy(removed, (row) => row.receiver))
      for (const [state, { length }] of Map.groupBy(rows, (row) => row.state)) countOne(receiver, state, null, length)
  }

  return {
    /** Removes those of deleted submissions, and takes these out of digests. */
    ofSubmissions(formNumber: number, ids: readonly string[] | ReadonlySet<string>): void {
      if (!queries.hasReceivers.get({ form: formNumber })) return
      for (const id of ids) {
        const from = commonStart(id)
        count(queries.ofSubmission.all({ form: formNumber, id, from, to: from + afterEveryId }))
      }
      count(digests.leaveAll(formNumber, ids))
    },

    /**
     * The pending ones of a submission that is spam now. Finished ones stay. So does a reply to the visitor, which may be
     * under way: it is skipped.
     */
    pendingOfSubmission(formNumber: number, id: string): void {
      if (!queries.hasReceivers.get({ form: formNumber })) return
      const from = commonStart(id)
      const about = { form: formNumber, id, from, to: from + afterEveryId }
      for (const { receiver } of queries.skipReply.all(about)) countOne(receiver, 'pending', 'skipped')
      count(queries.pendingOfSubmission.all(about))
      count(digests.leavePending(formNumber, id))
    },

    /**
     * Removes a part of those of a form, and after the last one its receivers. Returns how many rows they were: if `maxRows`,
     * there may be more.
     */
    ofForm(formNumber: number, maxRows: number): number {
      if (!queries.hasReceivers.get({ form: formNumber })) return 0
      const members = digests.forgetOfForm(formNumber, maxRows)
      if (members >= maxRows) return maxRows
      const rows = queries.oldestOfForm.all({ form: formNumber, limit: maxRows - members })
      for (const { id } of rows) queries.removeOne.run({ form: formNumber, id })
      if (members + rows.length < maxRows) queries.removeReceivers.run({ form: formNumber })
      return members + rows.length
    },

    /**
     * Looks at up to `maxRows` of those of a form that came before these identifiers, in order, from this one on. Returns
     * how many it looked at, and where to continue: null at the end.
     */
    ofFormBefore(input: {
      readonly form: number
      readonly from: string
      readonly deliveredBefore: string
      readonly failedBefore: string
      readonly maxRows: number
    }): { readonly looked: number; readonly next: string | null } {
      const { form, from, deliveredBefore, failedBefore, maxRows } = input
      const rows = queries.old.all({ form, from, to: deliveredBefore, limit: maxRows })
      const isOld = ({ id, state }: (typeof rows)[number]): boolean =>
        state !== 'pending' && id < (state === 'failed' ? failedBefore : deliveredBefore)
      const removed: typeof rows = []
      let left = maxRows
      for (const row of rows.filter(isOld)) {
        if (deliveryKinds[row.kind].about === 'submissions') left -= digests.forget(row.id, left)
        // It may be about many more.
        if (left <= 0) {
          count(removed)
          return { looked: maxRows, next: row.id }
        }
        queries.removeOne.run({ form, id: row.id })
        removed.push(row)
      }
      count(removed)
      const last = rows.length === maxRows ? rows.at(-1) : undefined
      return { looked: rows.length, next: last ? `${last.id}${afterEveryId}` : null }
    },
  }
})

const statements = (db: Db) => {
  const ofThisForm = eq(deliveries.form, param('form'))
  const removed = { receiver: deliveries.receiver, state: deliveries.state }
  const aboutSubmission = and(
    ofThisForm,
    gte(deliveries.id, param('from')),
    lte(deliveries.id, param('to')),
    eq(deliveries.submission, param('id')),
    isAboutOne,
  )
  const listed = { id: deliveries.id, kind: deliveries.kind, ...removed }
  return {
    hasReceivers: db
      .select({ number: receivers.number })
      .from(receivers)
      .where(eq(receivers.form, param('form')))
      .limit(1)
      .prepare(),
    ofSubmission: db.delete(deliveries).where(aboutSubmission).returning(removed).prepare(),
    skipReply: db
      .update(deliveries)
      .set({ state: literal('skipped'), reason: literal('spam') })
      .where(and(aboutSubmission, sql`${deliveries.kind} = 'reply' and ${deliveries.state} = 'pending'`))
      .returning({ receiver: deliveries.receiver })
      .prepare(),
    pendingOfSubmission: db
      .delete(deliveries)
      .where(and(aboutSubmission, is(deliveries.state, 'pending')))
      .returning(removed)
      .prepare(),
    old: db
      .select(listed)
      .from(deliveries)
      .where(and(ofThisForm, gte(deliveries.id, param('from')), lt(deliveries.id, param('to'))))
      .orderBy(asc(deliveries.id))
      .limit(param('limit'))
      .prepare(),
    oldestOfForm: db
      .select(listed)
      .from(deliveries)
      .where(ofThisForm)
      .orderBy(asc(deliveries.id))
      .limit(param('limit'))
      .prepare(),
    removeOne: db
      .delete(deliveries)
      .where(and(ofThisForm, eq(deliveries.id, param('id'))))
      .prepare(),
    removeReceivers: db
      .delete(receivers)
      .where(eq(receivers.form, param('form')))
      .prepare(),
  }
}

import { and, asc, desc, eq, gt, inArray, type SQLWrapper } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { endedShares, ofReaders, param, params } from '../storage/tables.ts'
import type { Form } from './form.ts'

/** A form that others shared with someone, and that is gone or no longer shared. */
export type EndedShare = Pick<typeof endedShares.$inferSelect, 'formId' | 'title' | 'at' | 'reason'>

/** Ended shares that one person sees. */
const maxEnded = 10
/** How long. */
export const toldMilliseconds = 30 * dayMilliseconds

/** Keeps what people are told who no longer see a form. Must run in the transaction that takes it from them. */
export const endedShareWrites = oncePerConnection((db: Db) => {
  const ofUser = eq(endedShares.userId, param('userId'))
  const oldestFirst = db
    .select({ number: endedShares.number, owner: endedShares.owner })
    .from(endedShares)
    .where(ofUser)
    .orderBy(asc(endedShares.number))
    .prepare()
  const remove = db
    .delete(endedShares)
    .where(eq(endedShares.number, param('number')))
    .prepare()
  const forget = db
    .delete(endedShares)
    .where(and(ofUser, eq(endedShares.formId, param('formId'))))
    .prepare()
  const insert = db
    .insert(endedShares)
    .values(params('userId', 'formId', 'owner', 'title', 'at', 'reason'))
    .prepare()

  return {
    /**
     * Replaces another one if there are as many as allowed: the oldest of the owner who has the most. Otherwise anyone could
     * push out those of others, by sharing forms that no one asked for and taking them back.
     *
     * @param at Unix milliseconds
     */
    end(form: Pick<Form, 'id' | 'title' | 'userId'>, userId: string, reason: EndedShare['reason'], at: number): void {
      const { id: formId, title, userId: owner } = form
      const told = oldestFirst.all({ userId })
      const byOwner = Map.groupBy([...told, { number: null, owner }], (one) => one.owner)
      const [most = []] = [...byOwner.values()].toSorted((one, other) => other.length - one.length)
      if (told.length >= maxEnded) remove.run({ number: most[0]?.number })
      insert.run({ userId, formId, owner, title, reason, at })
    },

    /** Forgets the ended share of a form that the user sees again. */
    forget: (userId: string, formId: string): void => void forget.run({ userId, formId }),
  }
})

/** Removes what a user has of forms that they may no longer read. @param seen their numbers, or a query for these */
export const forgetForms = (db: Db, userId: string, seen: readonly number[] | SQLWrapper): void => {
  for (const table of ofReaders)
    db.delete(table)
      .where(and(eq(table.userId, userId), inArray(table.form, seen)))
      .run()
}

/** Reads what a user is told, the newest first. */
export const endedShareReader = (db: Db) => {
  const since = db
    .select({ formId: endedShares.formId, title: endedShares.title, at: endedShares.at, reason: endedShares.reason })
    .from(endedShares)
    .where(and(eq(endedShares.userId, param('userId')), gt(endedShares.at, param('after'))))
    .orderBy(desc(endedShares.number))
    .prepare()
  /** @param after Unix milliseconds */
  return (userId: string, after: number): readonly EndedShare[] => since.all({ userId, after })
}

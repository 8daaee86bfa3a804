import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { param, trail } from '../db/tables.ts'
import { hourMilliseconds } from '../durations.ts'

export type Deed = (typeof trail.$inferSelect)['what']

export interface Done {
  readonly userId: string
  /** Unix milliseconds. */
  readonly at: number
  readonly what: Deed
  readonly detail?: string | null
  readonly count?: number
}

/**
 * Writes down what somebody has done with a form, without anything that visitors sent. Must run in the transaction that does
 * it. What somebody does again and again within an hour is one row, so that nobody fills the file with it.
 */
export const trailWrites = (db: Db): ((form: number, done: Done) => void) => {
  const last = db
    .select()
    .from(trail)
    .where(eq(trail.form, param('form')))
    .orderBy(desc(trail.number))
    .limit(1)
    .prepare()
  const add = db
    .update(trail)
    .set({ count: sql`${trail.count} + ${param('count')}` })
    .where(and(eq(trail.number, param('number'))))
    .prepare()
  const insert = db
    .insert(trail)
    .values({
      form: param('form'),
      at: param('at'),
      userId: param('userId'),
      what: param('what'),
      detail: param('detail'),
      count: param('count'),
    })
    .prepare()

  return (form, { userId, at, what, detail = null, count = 1 }) => {
    const before = last.get({ form })
    const isSame = before?.userId === userId && before.what === what && before.detail === detail
    if (before && isSame && Math.abs(at - before.at) < hourMilliseconds) add.run({ number: before.number, count })
    else insert.run({ form, at, userId, what, detail, count })
  }
}

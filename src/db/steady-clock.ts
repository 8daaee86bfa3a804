import { eq, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../durations.ts'
import type { Db } from './open.ts'
import { param, seenClock } from './tables.ts'

const row = 1

/**
 * Whether rows may be deleted for their age now. If the clock has moved by more than a day since this was last asked,
 * forward or back, it was set, or the server was off: then the answer is no for a day, in which a clock that is wrong
 * can be put right. Without that, a clock a year ahead would delete a year of submissions.
 *
 * A command; its input is the time in Unix milliseconds.
 */
export const clockCheck = (db: Db): ((input: { readonly now: number }) => boolean) => {
  const last = db.select().from(seenClock).where(eq(seenClock.id, row)).prepare()
  const write = db
    .insert(seenClock)
    .values({ id: row, seenAt: param('now'), heldUntil: param('heldUntil') })
    .onConflictDoUpdate({
      target: seenClock.id,
      set: { seenAt: sql`${param('now')}`, heldUntil: sql`${param('heldUntil')}` },
    })
    .prepare()

  return ({ now }) => {
    const { seenAt, heldUntil: before } = last.get() ?? { seenAt: now, heldUntil: 0 }
    const heldUntil = Math.abs(now - seenAt) > dayMilliseconds ? now + dayMilliseconds : before
    write.run({ now, heldUntil })
    return now >= heldUntil
  }
}

import { eq, sql } from 'drizzle-orm'
import { dayMilliseconds, hourMilliseconds } from '../base/durations.ts'
import type { Db } from './open.ts'
import { param, seenClock } from './tables.ts'

const row = 1
const longestOffMilliseconds = 31 * dayMilliseconds

/**
 * Finds the time as of which rows may be deleted for their age, which is `now` if the clock is steady. If it has moved by more
 * than a day since this was last asked, forward or back, it was set, or the server was off. Then, for a day in which a clock
 * that is wrong can be put right, the answer is the last time that was sure. Without that, a clock a year ahead would delete
 * a year of submissions.
 *
 * A machine that is never on for a day deletes at its next start: what the clock said last is sure if it went as it should for
 * an hour then, and has gone on for a day since it moved, but by less than a month while the machine was off.
 *
 * A command; its input and its result are in Unix milliseconds. The result is 0 if nothing may be deleted.
 */
export const clockCheck = (db: Db): ((input: { readonly now: number }) => number) => {
  const last = db.select().from(seenClock).where(eq(seenClock.id, row)).prepare()
  const [seenAt, heldUntil, sureAt] = [param('seenAt'), param('heldUntil'), param('sureAt')]
  const write = db
    .insert(seenClock)
    .values({ id: row, seenAt, heldUntil, sureAt })
    .onConflictDoUpdate({
      target: seenClock.id,
      set: { seenAt: sql`${seenAt}`, heldUntil: sql`${heldUntil}`, sureAt: sql`${sureAt}` },
    })
    .prepare()

  return ({ now }) => {
    const seen = last.get() ?? { seenAt: now, heldUntil: 0, sureAt: 0 }
    const next = { ...advance(seen, now), seenAt: now }
    write.run(next)
    return now >= next.heldUntil ? now : next.sureAt
  }
}

type Seen = Pick<typeof seenClock.$inferSelect, 'seenAt' | 'heldUntil' | 'sureAt'>

const advance = ({ seenAt, heldUntil, sureAt }: Seen, now: number): Omit<Seen, 'seenAt'> => {
  const moved = now - seenAt
  if (Math.abs(moved) <= dayMilliseconds) return { heldUntil, sureAt }
  const hasRun = seenAt - (heldUntil - dayMilliseconds) >= hourMilliseconds
  const hasGoneOn = hasRun && now >= heldUntil && moved <= longestOffMilliseconds
  const isSeenSure = moved > 0 && (seenAt >= heldUntil || hasGoneOn)
  return { heldUntil: now + dayMilliseconds, sureAt: isSeenSure ? seenAt : Math.min(sureAt, now) }
}

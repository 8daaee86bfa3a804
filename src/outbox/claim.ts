import { and, asc, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, forms, param, receivers } from '../db/tables.ts'
import { giveUpSlice } from './give-up.ts'
import { maxDelayMilliseconds } from './schedule.ts'

export interface ClaimInput {
  /** Unix milliseconds. */
  readonly now: number
  /** When an attempt that nothing was heard of counts as lost, and its delivery is due again. */
  readonly lostAt: number
  /** How many attempts may begin. */
  readonly limit: number
  /** How many attempts may be under way to one host, and how many are. */
  readonly perHost: number
  readonly underWay: Readonly<Record<string, number>>
  /** From 0 to 1: with which receiver the round begins, so that none is always the last. */
  readonly random: number
}

/** A delivery that whoever claimed it attempts now. `attempts` includes this one. */
export type Claimed = NonNullable<ReturnType<ReturnType<typeof statements>['nextDue']['get']>> & {
  readonly host: string
}

export interface Claim {
  readonly claimed: readonly Claimed[]
  /** When to claim again: the time at which the next delivery is due, null if none waits. */
  readonly nextDueAt: number | null
}

/** Receivers that one claim looks at. Each takes some 4 µs of the writer's time. */
const maxLooked = 200
/** When to look at the others, if there are more. */
const nextLookMilliseconds = 1000

/**
 * Claims deliveries that are due, for a time: if whoever claimed one dies, it is due again afterwards. Users take turns,
 * and so do the receivers of a user. What waits for a busy host delays nobody else.
 */
export const claimer = (db: Db) => {
  const { greatestNumber, firstWaiting, nextDue, begin } = statements(db)
  const giveUp = giveUpSlice(db)

  /** Receivers for whom something waits, in a round that begins after this one. */
  const look = (start: number): Head[] => {
    const heads: Head[] = []
    for (let after = start, isSecondHalf = false; heads.length < maxLooked; ) {
      const head = firstWaiting.get({ after })
      if (head && !(isSecondHalf && head.receiver > start)) {
        heads.push(head)
        after = head.receiver
      } else if (isSecondHalf || start === 0) break
      else {
        isSecondHalf = true
        after = 0
      }
    }
    return heads
  }

  return ({ now, lostAt, limit, perHost, underWay, random }: ClaimInput): Claim => {
    const heads = look(Math.floor((greatestNumber.get()?.number ?? 0) * random))
    for (const { receiver } of heads.filter(({ isEnabled }) => !isEnabled)) giveUp(receiver)
    const enabled = heads.filter(({ isEnabled }) => isEnabled)
    const busy = new Map(Object.entries(underWay))

    const claimNext = ({ receiver, host }: Head): Claimed | undefined => {
      const count = busy.get(host) ?? 0
      const delivery = count < perHost ? nextDue.get({ receiver, now, tooLate: now + tooFarAhead }) : undefined
      if (!delivery) return undefined
      busy.set(host, count + 1)
      begin.run({ form: delivery.form, id: delivery.id, lostAt })
      return { ...delivery, attempts: delivery.attempts + 1, host }
    }

    const due = enabled.filter(({ dueAt }) => dueAt <= now || dueAt > now + tooFarAhead)
    const claimed = takeTurns(Map.groupBy(due, ({ userId }) => userId).values(), claimNext, limit)
    return { claimed, nextDueAt: nextTime(heads, enabled, now) }
  }
}

/** Later than anything is put off: it was written while the clock was wrong, and is due. */
const tooFarAhead = maxDelayMilliseconds + 3_600_000

type Head = NonNullable<ReturnType<ReturnType<typeof statements>['firstWaiting']['get']>>

/** Claims one delivery of each user's next receiver in turn, until nothing is left or the limit is reached. */
const takeTurns = (
  users: Iterable<Head[]>,
  claimNext: (head: Head) => Claimed | undefined,
  limit: number,
): Claimed[] => {
  const claimed: Claimed[] = []
  const waiting = [...users]
  for (let heads = waiting.shift(); heads && claimed.length < limit; heads = waiting.shift()) {
    const head = heads.shift()
    if (!head) continue
    const delivery = claimNext(head)
    if (delivery) {
      claimed.push(delivery)
      heads.push(head)
    }
    waiting.push(heads)
  }
  return claimed
}

const nextTime = (heads: readonly Head[], enabled: readonly Head[], now: number): number | null => {
  if (heads.length === maxLooked || enabled.length < heads.length) return now + nextLookMilliseconds
  const later = enabled.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > now)
  return later.length === 0 ? null : Math.min(...later)
}

const statements = (db: Db) => {
  const isPending = sql`${deliveries.state} = 'pending'`
  const greatestNumber = db
    .select({ number: receivers.number })
    .from(receivers)
    .orderBy(desc(receivers.number))
    .limit(1)
    .prepare()
  const firstWaiting = db
    .select({
      receiver: deliveries.receiver,
      dueAt: deliveries.dueAt,
      host: receivers.host,
      isEnabled: receivers.isEnabled,
      userId: sql<string>`coalesce(${forms.userId}, '')`,
    })
    .from(deliveries)
    .innerJoin(receivers, eq(receivers.number, deliveries.receiver))
    .innerJoin(forms, and(eq(forms.number, deliveries.form), isNull(forms.deletedAt)))
    .where(and(isPending, gt(deliveries.receiver, param('after'))))
    .orderBy(asc(deliveries.receiver), asc(deliveries.dueAt))
    .limit(1)
    .prepare()
  const columns = {
    form: deliveries.form,
    id: deliveries.id,
    receiver: deliveries.receiver,
    kind: deliveries.kind,
    submission: deliveries.submission,
    lastSubmission: deliveries.lastSubmission,
    count: deliveries.count,
    subject: deliveries.subject,
    attempts: deliveries.attempts,
  }
  const nextDue = db
    .select(columns)
    .from(deliveries)
    .where(
      and(
        isPending,
        eq(deliveries.receiver, param('receiver')),
        or(sql`${deliveries.dueAt} <= ${param('now')}`, gt(deliveries.dueAt, param('tooLate'))),
      ),
    )
    .orderBy(asc(deliveries.dueAt), asc(deliveries.form), asc(deliveries.id))
    .limit(1)
    .prepare()
  const begin = db
    .update(deliveries)
    .set({ dueAt: sql`${param('lostAt')}`, attempts: sql`${deliveries.attempts} + 1` })
    .where(and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id'))))
    .prepare()
  return { greatestNumber, firstWaiting, nextDue, begin }
}

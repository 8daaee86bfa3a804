import { and, asc, eq, gt, type lte, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, forms, param, pieces, receivers, users } from '../db/tables.ts'
import { hourMilliseconds } from '../durations.ts'
import { giveUpSlice } from './finish.ts'
import { maxDelayMilliseconds } from './schedule.ts'
import { attemptSlots, type Limits, type UnderWay } from './slots.ts'

export interface ClaimInput extends Limits {
  /** Unix milliseconds. */
  readonly now: number
  /** Name of the machine that claims. */
  readonly node: string
  /** When an attempt that nothing was heard of counts as lost, and its delivery is due again. */
  readonly lostAt: number
  /** How many attempts may begin. */
  readonly limit: number
  /** Nothing is claimed for these hosts. */
  readonly pausedHosts: readonly string[]
  /** The attempts of the machine that claims. */
  readonly underWay: readonly UnderWay[]
  /** The round begins with the receiver after this one: the `lookedTo` of the claim before, at first 0. */
  readonly after: number
}

/** A delivery that is being attempted by the machine that claimed it. `attempts` includes this attempt. */
export type Claimed = NonNullable<ReturnType<ReturnType<typeof statements>['nextDue']['get']>> & UnderWay

export interface Claim {
  readonly claimed: readonly Claimed[]
  /** When to claim again: the time at which the next delivery is due, null if none waits. */
  readonly nextDueAt: number | null
  readonly lookedTo: number
}

/** Receivers that one claim looks at. Each takes some 5 µs of the writer's time. */
const maxLooked = 200
/** When to look at the other receivers, if there are more, and when to give up the next slice of a disabled one. */
const nextLookMilliseconds = 100

/**
 * Claims deliveries that are due, for a time: if the machine that claimed one dies, it is due again afterwards. Users take turns,
 * and so do the receivers of a user: first the ones with the fewest attempts under way. What waits for a busy host delays
 * nobody else.
 */
export const claimer = (db: Db) => {
  const { firstWaiting, findReceiver, nextDue, nextTooFar, secondPiece, begin, renew } = statements(db)
  const giveUp = giveUpSlice(db)

  /** Finds the receivers for which something waits, in a round that begins after this one. */
  const look = (start: number): Head[] =>
    waitingAfter(start).flatMap((first) => {
      const receiver = findReceiver.get({ receiver: first.receiver })
      return receiver ? [{ ...first, ...receiver }] : []
    })

  const waitingAfter = (start: number): Found<'firstWaiting'>[] => {
    const heads: Found<'firstWaiting'>[] = []
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

  return ({ now, node, lostAt, limit, pausedHosts, underWay, after, ...limits }: ClaimInput): Claim => {
    const all = look(after)
    // The deliveries of a deleted form are removed with it.
    const heads = all.filter(({ deletedAt }) => deletedAt === null)
    const disabled = heads.find(({ isEnabled }) => !isEnabled)
    if (disabled) giveUp(disabled.receiver)
    const enabled = heads.filter(({ isEnabled, host }) => isEnabled && !pausedHosts.includes(host))
    const slots = attemptSlots(limits, underWay)
    const own = new Set(underWay.map(keyOf))

    const findDue = (receiver: number) => {
      const tooLate = now + tooFarAhead
      for (;;) {
        const found = nextDue.get({ receiver, now }) ?? nextTooFar.get({ receiver, tooLate })
        if (!found || !own.has(keyOf(found))) return found
        // The clock was set forward, or it was retried by hand. It is attempted at this moment.
        renew.run({ form: found.form, id: found.id, lostAt })
      }
    }

    const claimNext = ({ receiver, host, userId }: Head): Claimed | undefined => {
      const target = { host, userId }
      const found = slots.isFree(target) ? findDue(receiver) : undefined
      if (!found) return undefined
      const { form, id, kind, submission } = found
      const isLong = kind !== 'digest' && secondPiece.get({ form, submission }) !== undefined
      if (isLong && !slots.isFreeForLong(target)) return undefined
      const claimed = { ...found, ...target, isLong, attempts: found.attempts + 1 }
      slots.take(claimed)
      begin.run({ form, id, node, lostAt })
      return claimed
    }

    const due = enabled
      .filter(({ dueAt }) => dueAt <= now || dueAt > now + tooFarAhead)
      .toSorted((one, other) => slots.ofHost(one.host) - slots.ofHost(other.host))
    const users = [...Map.groupBy(due, ({ userId }) => userId)]
      .toSorted(([one], [other]) => slots.ofUser(one) - slots.ofUser(other))
      .map(([, ofUser]) => ofUser)
    const claimed = takeTurns(users, claimNext, limit)
    const isPart = all.length === maxLooked
    return {
      claimed,
      nextDueAt: isPart || disabled ? now + nextLookMilliseconds : nextTime(enabled, now),
      lookedTo: all.at(isPart ? -1 : 0)?.receiver ?? 0,
    }
  }
}

const keyOf = ({ form, id }: Pick<UnderWay, 'form' | 'id'>): string => `${form} ${id}`

/** Later than anything is put off: it was written while the clock was wrong, and is due. */
const tooFarAhead = maxDelayMilliseconds + hourMilliseconds

/** The first of what waits for a receiver. */
type Head = Found<'firstWaiting'> & Found<'findReceiver'>

type Found<Name extends 'firstWaiting' | 'findReceiver'> = NonNullable<
  ReturnType<ReturnType<typeof statements>[Name]['get']>
>

/** Claims one delivery of each user's next receiver in turn, until nothing is left or the limit is reached. */
const takeTurns = (
  users: readonly Head[][],
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

const nextTime = (enabled: readonly Head[], now: number): number | null => {
  const later = enabled.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > now)
  return later.length === 0 ? null : Math.min(...later)
}

const statements = (db: Db) => {
  const isPending = sql`${deliveries.state} = 'pending'`
  // Not joined with the receivers: SQLite would go through all deliveries of a form that is being removed.
  const firstWaiting = db
    .select({ receiver: deliveries.receiver, dueAt: deliveries.dueAt })
    .from(deliveries)
    .where(and(isPending, gt(deliveries.receiver, param('after'))))
    .orderBy(asc(deliveries.receiver), asc(deliveries.dueAt))
    .limit(1)
    .prepare()
  const findReceiver = db
    .select({
      host: receivers.host,
      // The forms of a disabled user have no deliveries.
      isEnabled: sql<number>`${receivers.isEnabled} and ${users.disabledAt} is null`,
      userId: sql<string>`coalesce(${forms.userId}, '')`,
      deletedAt: forms.deletedAt,
    })
    .from(receivers)
    .innerJoin(forms, eq(forms.number, receivers.form))
    .leftJoin(users, eq(users.id, forms.userId))
    .where(eq(receivers.number, param('receiver')))
    .prepare()
  const columns = {
    form: deliveries.form,
    id: deliveries.id,
    receiver: deliveries.receiver,
    kind: deliveries.kind,
    submission: deliveries.submission,
    count: deliveries.count,
    subject: deliveries.subject,
    attempts: deliveries.attempts,
    target: deliveries.target,
    endsAt: deliveries.endsAt,
  }
  const earliest = (when: ReturnType<typeof lte>) =>
    db
      .select(columns)
      .from(deliveries)
      .where(and(isPending, eq(deliveries.receiver, param('receiver')), when))
      .orderBy(asc(deliveries.dueAt), asc(deliveries.form), asc(deliveries.id))
      .limit(1)
      .prepare()
  const nextDue = earliest(sql`${deliveries.dueAt} <= ${param('now')}`)
  const nextTooFar = earliest(gt(deliveries.dueAt, param('tooLate')))
  const secondPiece = db
    .select({ number: pieces.number })
    .from(pieces)
    .where(
      and(
        eq(pieces.form, param('form')),
        // The inbox: nobody is told of spam.
        eq(pieces.list, sql`0`),
        eq(pieces.submission, param('submission')),
        eq(pieces.position, sql`1`),
      ),
    )
    .prepare()
  const byKey = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const begin = db
    .update(deliveries)
    .set({
      dueAt: sql`${param('lostAt')}`,
      attempts: sql`${deliveries.attempts} + 1`,
      claimedBy: sql`${param('node')}`,
    })
    .where(byKey)
    .prepare()
  const renew = db
    .update(deliveries)
    .set({ dueAt: sql`${param('lostAt')}` })
    .where(byKey)
    .prepare()
  return { firstWaiting, findReceiver, nextDue, nextTooFar, secondPiece, begin, renew }
}

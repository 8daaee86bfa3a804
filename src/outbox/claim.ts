import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { deliveries, given, is, param, pieces } from '../storage/tables.ts'
import { giveUpSlice } from './finish.ts'
import { deliveryKinds, waitsUpTo } from './kinds.ts'
import { attemptSlots, type UnderWay } from './slots.ts'
import {
  type Head,
  headReader,
  isDue,
  type LookInput,
  maxLooked,
  nextLookMilliseconds,
  tooFarAhead,
} from './waiting.ts'

export interface ClaimInput extends Omit<LookInput, 'end'> {
  /** Name of the machine that claims. */
  readonly node: string
  /** When an attempt that nothing was heard of counts as lost, and its delivery is due again. */
  readonly lostAt: number
  /** How many attempts may begin. */
  readonly limit: number
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

/**
 * Claims deliveries that are due, for a time: if the machine that claimed one dies, it is due again afterwards. Users take turns,
 * and so do the receivers of a user: first the ones with the fewest attempts under way. What waits for a busy host delays
 * no one else.
 */
export const claimer = (db: Db) => {
  const headsAfter = headReader(db)
  const { nextDue, nextTooFar, secondPiece, begin, renew } = statements(db)
  const giveUp = giveUpSlice(db)

  return ({ now, node, lostAt, limit, pausedHosts, underWay, after, ...limits }: ClaimInput): Claim => {
    const all = [...headsAfter(after)]
    // The deliveries of a deleted form are removed with it.
    const heads = all.filter(({ deletedAt }) => deletedAt === null)
    const disabled = heads.find(({ isEnabled }) => !isEnabled)
    if (disabled) giveUp(disabled.receiver)
    const enabled = heads.filter(({ isEnabled, host }) => isEnabled && !pausedHosts.includes(host))
    const slots = attemptSlots(limits, underWay)
    const own = new Set(underWay.map(keyOf))

    const findDue = (receiver: number) => {
      for (;;) {
        const found = nextDue.get({ receiver, now }) ?? nextTooFar.get({ receiver, tooFar: now + tooFarAhead })
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
      const isLong = deliveryKinds[kind].about === 'submission' && secondPiece.get({ form, submission }) !== undefined
      if (isLong && !slots.isFreeForLong(target)) return undefined
      const claimed = { ...found, ...target, isLong, attempts: found.attempts + 1 }
      slots.take(claimed)
      begin.run({ form, id, node, lostAt })
      return claimed
    }

    const due = enabled
      .filter((head) => isDue(head, now))
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
  const isPending = is(deliveries.state, 'pending')
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
    language: deliveries.language,
    endsAt: deliveries.endsAt,
  }
  const earliest = (when: SQL | undefined) =>
    db
      .select(columns)
      .from(deliveries)
      .where(and(isPending, eq(deliveries.receiver, param('receiver')), when))
      .orderBy(asc(deliveries.dueAt), asc(deliveries.form), asc(deliveries.id))
      .limit(1)
      .prepare()
  const nextDue = earliest(sql`${deliveries.dueAt} <= ${param('now')}`)
  const nextTooFar = earliest(
    and(gt(deliveries.dueAt, param('tooFar')), sql`${deliveries.dueAt} - ${waitsUpTo} > ${param('tooFar')}`),
  )
  const byKey = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const begin = db
    .update(deliveries)
    .set({
      dueAt: given('lostAt'),
      attempts: sql`${deliveries.attempts} + 1`,
      claimedBy: given('node'),
    })
    .where(byKey)
    .prepare()
  const renew = db
    .update(deliveries)
    .set({ dueAt: given('lostAt') })
    .where(byKey)
    .prepare()
  return { nextDue, nextTooFar, secondPiece: secondPiece(db), begin, renew }
}

/** In the inbox, or held until its address is confirmed: no one is told of spam. */
const secondPiece = statement(
  'SELECT number FROM pieces WHERE form = $form AND list IN (0, -1) AND submission = $submission AND position = 1',
  { number: pieces.number },
)

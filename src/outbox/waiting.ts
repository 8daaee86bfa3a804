import { and, asc, gt } from 'drizzle-orm'
import { hourMilliseconds } from '../base/durations.ts'
import type { Db } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { deliveries, forms, is, param, receivers } from '../storage/tables.ts'
import { deliveryKinds } from './kinds.ts'
import { maxDelayMilliseconds } from './schedule.ts'
import { attemptSlots, type Limits, type UnderWay } from './slots.ts'

/** Receivers that one claim, or one look before it, goes through. Each takes some 5 µs. */
export const maxLooked = 200
/** When to look at the other receivers, if there are more. */
export const nextLookMilliseconds = 100

/** The first of what waits for a receiver. */
export type Head = Found<'firstWaiting'> & Found<'findReceiver'>

type Found<Name extends 'firstWaiting' | 'findReceiver'> = NonNullable<
  ReturnType<ReturnType<typeof statements>[Name]['get']>
>

/** Finds the receivers for which something waits, in a round that begins after one receiver and ends with another. */
export const headReader = (db: Db) => {
  const { firstWaiting, findReceiver } = statements(db)

  return function* heads(start: number, end = start): Generator<Head, void> {
    let after = start
    let isSecondHalf = start < end
    for (let looked = 0; looked < maxLooked; ) {
      const first = firstWaiting.get({ after })
      if (first && !(isSecondHalf && first.receiver > end)) {
        looked++
        after = first.receiver
        const receiver = findReceiver.get({ receiver: after })
        if (receiver) yield { ...first, ...receiver }
      } else if (isSecondHalf || end === 0) return
      else {
        isSecondHalf = true
        after = 0
      }
    }
  }
}

/** Later than any retry: unless its kind may wait for longer, it was written while the clock was wrong, and is due. */
export const tooFarAhead = maxDelayMilliseconds + hourMilliseconds

export const isDue = ({ dueAt, kind }: Pick<Head, 'dueAt' | 'kind'>, now: number): boolean =>
  dueAt <= now || dueAt > now + tooFarAhead + deliveryKinds[kind].waitsUpTo

export interface LookInput extends Limits {
  /** Unix milliseconds. */
  readonly now: number
  /** Nothing is claimed for these hosts. */
  readonly pausedHosts: readonly string[]
  /** The attempts of the machine that claims. */
  readonly underWay: readonly UnderWay[]
  /** The look begins with the receiver after this one. */
  readonly after: number
  /** It ends with this one; the same for all receivers. */
  readonly end: number
}

export interface Look {
  /** Whether a claim has something to do. Then the look has ended early, and the rest says nothing. */
  readonly isDue: boolean
  /** When the next of the examined deliveries is due; Infinity if none waits. */
  readonly nextDueAt: number
  readonly lookedTo: number
  /** Whether there are more receivers before the end. */
  readonly isPart: boolean
}

/** Finds out before a claim whether it has something to do: in a cluster, a claim of nothing is a row in the log, too. */
export const dueLook = (db: Db): ((input: LookInput) => Look) => {
  const headsFrom = headReader(db)

  return ({ now, pausedHosts, underWay, after, end, ...limits }) => {
    const slots = attemptSlots(limits, underWay)
    let [looked, lookedTo, nextDueAt] = [0, after, Number.POSITIVE_INFINITY]
    const seen = (isSomethingDue: boolean): Look => ({
      isDue: isSomethingDue,
      nextDueAt,
      lookedTo,
      isPart: looked === maxLooked && lookedTo !== end,
    })
    for (const head of headsFrom(after, end)) {
      looked++
      lookedTo = head.receiver
      if (head.deletedAt !== null) continue
      // What waits for it is given up.
      if (!head.isEnabled) return seen(true)
      if (pausedHosts.includes(head.host)) continue
      if (!isDue(head, now)) nextDueAt = Math.min(nextDueAt, head.dueAt)
      else if (slots.isFree(head)) return seen(true)
    }
    return seen(false)
  }
}

const statements = (db: Db) => {
  // Not joined with the receivers: SQLite would go through all deliveries of a form that is being removed.
  const firstWaiting = db
    .select({ receiver: deliveries.receiver, kind: deliveries.kind, dueAt: deliveries.dueAt })
    .from(deliveries)
    .where(and(is(deliveries.state, 'pending'), gt(deliveries.receiver, param('after'))))
    .orderBy(asc(deliveries.receiver), asc(deliveries.dueAt))
    .limit(1)
    .prepare()
  return { firstWaiting, findReceiver: findReceiver(db) }
}

/** The forms of a disabled user have no deliveries. */
const findReceiver = statement(
  `SELECT
    host,
    is_enabled AND users.disabled_at IS NULL AS isEnabled,
    coalesce(forms.user_id, '') AS userId,
    forms.deleted_at
  FROM receivers
    JOIN forms ON forms.number = receivers.form
    LEFT JOIN users ON users.id = forms.user_id
  WHERE receivers.number = $receiver`,
  { host: receivers.host, isEnabled: computed<number>(), userId: computed<string>(), deletedAt: forms.deletedAt },
)

import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { deliveries, given, givens, is, isNot, literal, param, receivers } from '../storage/tables.ts'
import { confirmMailed } from './confirm-mails.ts'
import { deliveryCounter } from './counts.ts'
import { receiverKinds } from './kinds.ts'
import { addressWrites } from './known-addresses.ts'
import { receiverSwitch } from './receivers.ts'
import type { SkipReason } from './replies.ts'
import { patienceMilliseconds } from './schedule.ts'

/**
 * The result of an attempt for its delivery. One that the server broke off does not count, and is due at once. One that
 * could not reach the receiver, because this server is set up wrongly, does not count either.
 */
export interface Finished {
  readonly form: number
  readonly id: string
  /** The number of the attempt, so that one that counted as lost changes nothing when it ends after all. */
  readonly attempt: number
  readonly outcome:
    | { readonly state: 'delivered' }
    | { readonly state: 'failed' }
    | { readonly state: 'brokenOff' }
    | { readonly state: 'pending'; readonly dueAt: number; readonly isUncounted?: boolean }
    | { readonly state: 'skipped'; readonly reason: SkipReason }
  readonly log: Attempt
  /** Whether the mail server of a visitor will never take a mail to this address. */
  readonly isAddressRefused?: boolean
  /** Whether a mail was begun, for a reply (see `beginReply`). */
  readonly wasBegun?: boolean
  /** The reason to switch the receiver off; null for none. */
  readonly disabledReason: string | null
}

/** Ends attempts. A delivery that is gone, or that another machine has claimed since, is left alone. */
export const finisher = (db: Db) => {
  const { find, end, undo, skip, recovered, stillFailing } = statements(db)
  const count = deliveryCounter(db)
  const { disable } = receiverSwitch(db)
  const { markRefused, unmarkRefused } = addressWrites(db)
  const markMailed = confirmMailed(db)

  const finish = ({
    form,
    id,
    attempt,
    outcome,
    log,
    isAddressRefused,
    wasBegun = false,
    disabledReason,
  }: Finished): void => {
    const found = find.get({ form, id, attempt })
    if (!found) return
    const { receiver: number, state: before, target, kind, submission } = found
    if (outcome.state === 'brokenOff') {
      if (before === 'pending') undo.run({ form, id })
      return
    }
    if (outcome.state === 'skipped') {
      if (before !== 'pending') return
      skip.run({ form, id, reason: outcome.reason })
      count(number, before, 'skipped')
      return
    }
    // One that failed already was given up meanwhile (see `giveUpSlice`), and one that was skipped became spam.
    const state = outcome.state === 'delivered' || before === 'pending' ? outcome.state : before
    const dueAt = outcome.state === 'pending' ? outcome.dueAt : 0
    const uncounted = Number(outcome.state === 'pending' && outcome.isUncounted === true)
    end.run({ form, id, state, dueAt, log: withAttempt(found.log, log), uncounted, begun: Number(wasBegun) })
    if (target !== null && isAddressRefused) markRefused(target, log.at)
    count(number, before, state)
    if (state === 'delivered') {
      if (kind === 'confirm' && submission !== null) markMailed(form, submission, log.at)
      if (target !== null) unmarkRefused(target)
      if (found.failingSince !== null) recovered.run({ number })
      return
    }
    const isGivenUp = state === 'failed' && before === 'pending'
    const failing = stillFailing.get({ number, at: log.at })
    if (!failing?.isEnabled || !receiverKinds[failing.kind].endsByItself) return
    // Not before a delivery has used up its schedule: where the clock jumps ahead, as on a machine without a clock of its
    // own, five days pass in a second.
    const isHopeless = isGivenUp && log.at - (failing.failingSince ?? log.at) >= patienceMilliseconds
    if (disabledReason !== null) disable(number, disabledReason)
    else if (isHopeless) disable(number, 'Every delivery of the last five days failed.')
  }

  return (finished: readonly Finished[]): void => finished.forEach(finish)
}

const statements = (db: Db) => {
  const delivery = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const find = db
    .select({
      receiver: deliveries.receiver,
      state: deliveries.state,
      log: deliveries.log,
      target: deliveries.target,
      kind: deliveries.kind,
      submission: deliveries.submission,
      failingSince: receivers.failingSince,
    })
    .from(deliveries)
    .innerJoin(receivers, eq(receivers.number, deliveries.receiver))
    .where(and(delivery, eq(deliveries.attempts, param('attempt')), isNot(deliveries.state, 'delivered')))
    .prepare()
  const end = db
    .update(deliveries)
    .set({
      ...givens('state', 'dueAt', 'log'),
      // One that was sent while it was skipped.
      reason: sql`CASE ${param('state')} WHEN 'delivered' THEN NULL ELSE ${deliveries.reason} END`,
      attempts: sql`${deliveries.attempts} - ${param('uncounted')}`,
      count: sql`${deliveries.count} - ${param('begun')}`,
      claimedBy: literal(null),
    })
    .where(delivery)
    .prepare()
  const undo = db
    .update(deliveries)
    .set({ dueAt: literal(0), attempts: sql`${deliveries.attempts} - 1`, claimedBy: literal(null) })
    .where(delivery)
    .prepare()
  const skip = db
    .update(deliveries)
    .set({
      state: literal('skipped'),
      reason: given('reason'),
      attempts: sql`${deliveries.attempts} - 1`,
      claimedBy: literal(null),
    })
    .where(delivery)
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const recovered = db
    .update(receivers)
    .set({ failingSince: literal(null) })
    .where(byNumber)
    .prepare()
  const stillFailing = db
    .update(receivers)
    .set({ failingSince: sql`coalesce(${receivers.failingSince}, ${param('at')})` })
    .where(byNumber)
    .returning({ kind: receivers.kind, isEnabled: receivers.isEnabled, failingSince: receivers.failingSince })
    .prepare()
  return { find, end, undo, skip, recovered, stillFailing }
}

/** One attempt to deliver, after its end. */
export interface Attempt {
  /** When it began, in Unix milliseconds. */
  readonly at: number
  readonly milliseconds: number
  /** The status of HTTP or SMTP; null without a response. */
  readonly status: number | null
  /** The reason of the failure, in words for the owner; null if it was delivered. */
  readonly error: string | null
  /** The beginning of what came back, as text. */
  readonly answer: string
}

/** Attempts that are stored of each delivery: all that its schedule has, and a few by hand. */
const maxAttemptsStored = 12

/** Adds an attempt to those of a delivery. @param stored JSON array */
const withAttempt = (stored: string, attempt: Attempt): string =>
  JSON.stringify([...attemptsOf(stored), attempt].slice(-maxAttemptsStored))

/** Parses the attempts of a delivery, oldest first. @param stored JSON array */
export const attemptsOf = (stored: string): Attempt[] => JSON.parse(stored)

/** Deliveries that one write gives up. */
const sliceRows = 200

/** Deliveries to a receiver that was switched off or taken away, or whose user is disabled, fail: a slice of them. */
export const giveUpSlice = (db: Db): ((receiver: number) => void) => {
  const some = db
    .select({ form: deliveries.form, id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.receiver, param('receiver')), is(deliveries.state, 'pending')))
    .orderBy(asc(deliveries.dueAt), asc(deliveries.form), asc(deliveries.id))
    .limit(sliceRows)
    .prepare()
  const fail = db
    .update(deliveries)
    .set({ state: literal('failed') })
    .where(and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id'))))
    .prepare()
  const count = deliveryCounter(db)
  return (receiver) => {
    const rows = some.all({ receiver })
    for (const row of rows) fail.run(row)
    count(receiver, 'pending', 'failed', rows.length)
  }
}

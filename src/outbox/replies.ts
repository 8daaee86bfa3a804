import { and, asc, desc, eq, gt, gte, inArray, lt, lte, ne, type SQL } from 'drizzle-orm'
import { dayMilliseconds, hourMilliseconds } from '../base/durations.ts'
import { afterEveryId, commonStart, creationTime, derivedId, numberedId } from '../base/id.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import {
  deliveries,
  forms,
  given,
  is,
  literal,
  param,
  params,
  receivers,
  replies,
  type skipReasons,
} from '../storage/tables.ts'
import { deliveryCounter } from './counts.ts'
import { addressReads, hashOfPerson } from './known-addresses.ts'
import { mailHost, receiverSwitch } from './receivers.ts'

/** Why a visitor gets no reply: the address is in `notify`, its recipient or its mail server wants none, or a limit. */
export type SkipReason = (typeof skipReasons)[number]

/** The reasons that the file knows of. */
type Refusal = Exclude<SkipReason, 'notify' | 'refused' | 'spam' | 'withdrawn' | 'confirmed' | 'dismissed'>

/** Replies that a form may send within an hour, and within a day. Anyone can send a form any address. */
export const repliesPerHour = 30
export const repliesPerDay = 300
/**
 * Replies of all forms of a user together: forms cost nothing. They count for the owner of the form when the submission
 * arrives, no matter who wrote the reply.
 */
export const repliesOfUserPerHour = 60
export const repliesOfUserPerDay = 300
/** While the account is younger than a day. */
export const repliesOfNewUserPerDay = 30
/** Replies that one person gets within a day from all forms of a server. From one form it is one. */
export const repliesToPerson = 3

/** No attempt begins this long after a reply was due: a reply that comes later only confuses. */
export const replyMilliseconds = dayMilliseconds

/** A reply to a visitor. */
export interface Reply {
  /** Number of the form. */
  readonly form: number
  /** The delivery's identifier. */
  readonly id: string
  readonly address: string
  /** The time to send it, in Unix milliseconds. */
  readonly at: number
}

/** Counts replies in the file, so that limits hold on all machines and after a restart. */
export const replyLimits = oncePerConnection((db: Db) => {
  const { ofPerson, nthOfForm, nthOfUser, ownerOf, insert } = countStatements(db)
  const { isStopped, isRefused } = addressReads(db)
  const around = (at: number, milliseconds: number) => ({ from: at - milliseconds, to: at + milliseconds })

  /**
   * Why a reply must not be sent now; null if it may. One that was counted before does not count against itself.
   *
   * @param again whether this person may have got one of the form that asked to confirm the address, and has done so
   */
  const refusal = ({ form, id, address, at }: Reply, again?: 'again if confirmed'): Refusal | null => {
    if (isStopped(address)) return 'stopped'
    // Also by a clock that was set back since.
    const lately = ofPerson.all({ person: hashOfPerson(address), id, ...around(at, dayMilliseconds) })
    if (lately.some((earlier) => earlier.form === form && !(again && earlier.isConfirmed))) return 'form_address'
    if (lately.length >= repliesToPerson) return 'server_address'
    if (nthOfForm.get({ form, id, ...around(at, hourMilliseconds), before: repliesPerHour - 1 })) return 'form_hour'
    if (nthOfForm.get({ form, id, ...around(at, dayMilliseconds), before: repliesPerDay - 1 })) return 'form_day'
    return refusalOfUser(ownerOf.get({ form })?.userId ?? null, id, at)
  }

  const refusalOfUser = (userId: string | null, id: string, at: number): Refusal | null => {
    if (userId === null) return null
    const isNew = Math.abs(at - creationTime(userId)) < dayMilliseconds
    const perDay = isNew ? repliesOfNewUserPerDay : repliesOfUserPerDay
    const nth = (range: ReturnType<typeof around>, count: number) =>
      nthOfUser.get({ userId, id, ...range, before: count - 1 })
    if (nth(around(at, hourMilliseconds), repliesOfUserPerHour)) return 'user_hour'
    return nth(around(at, dayMilliseconds), perDay) ? 'user_day' : null
  }

  return {
    refusal,
    isStopped,
    isRefused,
    count({ form, id, address, at }: Reply): void {
      const userId = ownerOf.get({ form })?.userId ?? null
      insert.run({ form, id, person: hashOfPerson(address), userId, at })
    },
  }
})

/** What a mail to a visitor needs: submissions/replies/answerable.ts makes it for a reply, and nothing reads it before this file. */
export interface VisitorReply {
  /** The address, as `toMailAddress` returns it. */
  readonly to: string
  /** The language of the visitor; absent for English. */
  readonly language?: string | undefined
}

/** A submission whose visitor can get a mail. */
export interface Answerable {
  readonly id: string
  /** Absent for no one. */
  readonly reply?: VisitorReply | undefined
  /** When it counts as received, as Unix milliseconds; absent for the time of its identifier. */
  readonly at?: number
  /** Whether a mail asked to confirm the address: that and the reply are one for the limits. */
  readonly isConfirmed?: boolean
}

/**
 * Adds a mail of one kind for each visitor, once for each submission: also for those who get none, which says why. Must run in
 * the transaction that stores the submissions. Returns how many are pending.
 */
export const visitorMailEnqueuer = (db: Db, kind: 'reply' | 'confirm') => {
  const { count } = replyLimits(db)
  const insert = insertMail(db, kind)
  const countDeliveries = deliveryCounter(db)

  return <One extends Answerable>(
    form: number,
    receiver: number,
    submissions: readonly One[],
    toReason: (reply: Reply, one: One) => SkipReason | null,
  ): number => {
    let [pending, skipped] = [0, 0]
    for (const one of submissions) {
      const { id: submission, reply: answer, at = creationTime(submission), isConfirmed = false } = one
      if (answer === undefined) continue
      const { to: address, language = null } = answer
      const reply = { form, id: numberedId(submission, receiver), address, at }
      const reason = toReason(reply, one)
      const [state, endsAt] = reason === null ? ['pending', at + replyMilliseconds] : ['skipped', null]
      if (changesOf(insert.run({ ...reply, receiver, submission, language, state, endsAt, reason })) === 0) continue
      if (reason === null && !isConfirmed) count(reply)
      if (reason === null) pending++
      else skipped++
    }
    countDeliveries(receiver, null, 'pending', pending)
    countDeliveries(receiver, null, 'skipped', skipped)
    return pending
  }
}

/** @see `visitorMailEnqueuer` */
export const replyEnqueuer = (db: Db) => {
  const { refusal, isStopped, isRefused } = replyLimits(db)
  const enqueue = visitorMailEnqueuer(db, 'reply')

  /** @param notified the addresses that get the form's notifications */
  return (form: number, receiver: number, notified: readonly string[], submissions: readonly Answerable[]): void => {
    enqueue(form, receiver, submissions, (reply, { isConfirmed }) => {
      if (notified.some((address) => address.toLowerCase() === reply.address.toLowerCase())) return 'notify'
      if (isRefused(reply.address)) return 'refused'
      if (isConfirmed) return isStopped(reply.address) ? 'stopped' : null
      return refusal(reply)
    })
  }
}

/**
 * Takes up again the reply to a submission that was marked as spam before it was sent, and is not spam. Returns whether it is
 * pending.
 */
export const replyResumer = (db: Db) => {
  const { refusal, count } = replyLimits(db)
  const { findBrokenOff, resume, setReason } = resumeStatements(db)
  const countDeliveries = deliveryCounter(db)

  return (form: number, submission: string, at: number): boolean => {
    const from = commonStart(submission)
    const found = findBrokenOff.get({ form, submission, from, to: from + afterEveryId })
    if (!found) return false
    const { id, receiver, target: address } = found
    const reply = { form, id, address: address ?? '', at }
    const reason = refusal(reply)
    if (reason !== null) {
      setReason.run({ form, id, reason })
      return false
    }
    resume.run({ form, id, endsAt: at + replyMilliseconds })
    countDeliveries(receiver, 'skipped', 'pending')
    count(reply)
    return true
  }
}

/** The mails of one kind to the visitors of a form are a receiver. */
export const visitorReceiverWrites = (db: Db, kind: 'reply' | 'confirm') => {
  const { find, insert, restore } = receiverStatements(db, kind)
  const { remove, recount } = receiverSwitch(db)

  /** @param now Unix milliseconds */
  return (form: { readonly number: number; readonly id: string }, isOn: boolean, now: number): void => {
    const found = find.get({ form: form.number })
    if (!isOn && found) remove(found.number, now)
    if (!isOn) return
    if (found) restore.run({ number: found.number })
    else insert.run({ form: form.number, id: derivedId(form.id, kind) })
    recount(form.number)
  }
}

/** Removes some of those that count no more. Returns how many. */
export const oldReplyRemoval = (db: Db): ((now: number, maxRows: number) => number) => {
  const remover = (isOver: SQL) => {
    const ended = db
      .select({ id: replies.id })
      .from(replies)
      .where(isOver)
      .orderBy(asc(replies.at), asc(replies.id))
      .limit(param('limit'))
    return db.delete(replies).where(inArray(replies.id, ended)).prepare()
  }
  const removeEarlier = remover(lte(replies.at, param('until')))
  // The clock was far ahead.
  const removeLater = remover(gte(replies.at, param('from')))
  return (now, limit) =>
    changesOf(removeEarlier.run({ until: now - dayMilliseconds, limit })) +
    changesOf(removeLater.run({ from: now + dayMilliseconds, limit }))
}

const countStatements = (db: Db) => {
  const isLately = and(ne(replies.id, param('id')), gt(replies.at, param('from')), lt(replies.at, param('to')))
  const ofPerson = db
    .select({ form: replies.form, isConfirmed: replies.isConfirmed })
    .from(replies)
    .where(and(eq(replies.person, param('person')), isLately))
    .orderBy(asc(replies.id))
    .prepare()
  const nth = (isOne: SQL) =>
    db
      .select({ id: replies.id })
      .from(replies)
      .where(and(isOne, isLately))
      .orderBy(desc(replies.at))
      .limit(1)
      .offset(param('before'))
      .prepare()
  const nthOfForm = nth(eq(replies.form, param('form')))
  const nthOfUser = nth(eq(replies.userId, param('userId')))
  const ownerOf = db
    .select({ userId: forms.userId })
    .from(forms)
    .where(eq(forms.number, param('form')))
    .prepare()
  const insert = db
    .insert(replies)
    .values(params('id', 'person', 'form', 'userId', 'at'))
    .onConflictDoUpdate({ target: replies.id, set: { userId: given('userId'), at: given('at') } })
    .prepare()
  return { ofPerson, nthOfForm, nthOfUser, ownerOf, insert }
}

const insertMail = (db: Db, kind: 'reply' | 'confirm') =>
  db
    .insert(deliveries)
    .values({
      ...params('form', 'id', 'receiver', 'submission', 'state', 'language', 'endsAt', 'reason'),
      kind: literal(kind),
      target: param('address'),
    })
    .onConflictDoNothing()
    .prepare()

const resumeStatements = (db: Db) => {
  const byKey = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const resume = db
    .update(deliveries)
    .set({ state: literal('pending'), dueAt: literal(0), endsAt: given('endsAt'), reason: literal(null) })
    .where(byKey)
    .prepare()
  const setReason = db
    .update(deliveries)
    .set({ reason: given('reason') })
    .where(byKey)
    .prepare()
  return { findBrokenOff: findBrokenOff(db), resume, setReason }
}

const findBrokenOff = statement(
  `SELECT id, receiver, target FROM deliveries
  WHERE form = $form AND id BETWEEN $from AND $to
    AND submission = $submission AND state = 'skipped' AND reason = 'spam'
  ORDER BY id LIMIT 1`,
  { id: deliveries.id, receiver: deliveries.receiver, target: deliveries.target },
)

const receiverStatements = (db: Db, kind: 'reply' | 'confirm') => {
  const find = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), is(receivers.kind, kind)))
    .orderBy(asc(receivers.number))
    .limit(1)
    .prepare()
  const insert = db
    .insert(receivers)
    .values({
      ...params('form', 'id'),
      kind: literal(kind),
      target: literal(''),
      host: literal(mailHost),
    })
    .prepare()
  const restore = db
    .update(receivers)
    .set({ isEnabled: literal(1), removedAt: literal(null) })
    .where(eq(receivers.number, param('number')))
    .prepare()
  return { find, insert, restore }
}

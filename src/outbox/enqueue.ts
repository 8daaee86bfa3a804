import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { changesOf, type Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import { hourMilliseconds } from '../durations.ts'
import { creationTime, derivedId, numberedId } from '../id.ts'
import { webhookTelling } from './tell-webhooks.ts'

export interface Told {
  /** Of the submission. */
  readonly id: string
  /** The visitor's own subject for the e-mail. */
  readonly subject?: string | null | undefined
  /** When it counts as received, as Unix milliseconds; absent for the time of its identifier. */
  readonly at?: number
}

/** Submissions of one form, in an hour, of which an address is told one by one. One mail tells of all further ones. */
export const mailsPerHour = 60

/**
 * Writes down that every receiver of a form is to be told of these submissions. Must run in the transaction that stores
 * them. Identifiers follow from submission and receiver, so nobody is told twice.
 */
export const enqueuer = (db: Db) => {
  const { receiversOf, insert, insertDigest, extendDigest, hasten, keep } = statements(db)
  const tellWebhooks = webhookTelling(db)

  /** Adds nothing if the address was told before. */
  const tell = (form: number, receiver: Telling, { id, subject = null }: Told): Telling => {
    const { number } = receiver
    const row = { form, id: numberedId(id, number), receiver: number, submission: id, subject }
    return { ...receiver, added: receiver.added + changesOf(insert.run(row)) }
  }

  /** Adds the submission to the mail at the end of the hour, which is a new one if there is none yet. */
  const gather = (form: number, receiver: Telling, { id }: Told): Telling => {
    const { number, digestId, hourStart } = receiver
    if (digestId !== null && changesOf(extendDigest.run({ form, digestId, id })) > 0) return receiver
    const digest = derivedId(id, receiver.id, 'digest')
    const row = { form, id: digest, receiver: number, submission: id, dueAt: hourStart + hourMilliseconds }
    return { ...receiver, digestId: digest, added: receiver.added + changesOf(insertDigest.run(row)) }
  }

  const tellAddress = (form: number, receiver: Telling, told: Told): Telling => {
    const time = told.at ?? creationTime(told.id)
    // By a clock that was set back, the hour of its digest may not end for long.
    if (receiver.digestId !== null && time < receiver.hourStart) hasten.run({ form, digestId: receiver.digestId })
    const counted = inItsHour(receiver, time)
    return counted.hourCount > mailsPerHour ? gather(form, counted, told) : tell(form, counted, told)
  }

  return (form: number, told: readonly Told[]): void => {
    const all: Telling[] = receiversOf.all({ form }).map((receiver) => ({ ...receiver, added: 0 }))
    const webhooks = all.filter(({ kind }) => kind === 'webhook')
    const added = tellWebhooks(
      form,
      webhooks.map(({ number }) => number),
      told.map(({ id }) => id),
    )
    const telling = [
      ...webhooks.map((webhook, position) => ({ ...webhook, added: added[position] as number })),
      ...all
        .filter(({ kind }) => kind === 'email')
        .map((address) => told.reduce((receiver, one) => tellAddress(form, receiver, one), address)),
    ]
    for (const { number, added, hourStart, hourCount, digestId } of telling)
      keep.run({ number, added, hourStart, hourCount, digestId })
  }
}

/** Counts one submission more, in a new hour if the last one has ended, or if the clock was set back. */
const inItsHour = (receiver: Telling, time: number): Telling =>
  time < receiver.hourStart || time >= receiver.hourStart + hourMilliseconds
    ? { ...receiver, hourStart: time, hourCount: 1, digestId: null }
    : { ...receiver, hourCount: receiver.hourCount + 1 }

/** A receiver in the middle of a batch. */
interface Telling
  extends Pick<typeof receivers.$inferSelect, 'number' | 'id' | 'kind' | 'hourStart' | 'hourCount' | 'digestId'> {
  /** Deliveries that were added for it. */
  readonly added: number
}

const statements = (db: Db) => {
  const receiversOf = db
    .select({
      number: receivers.number,
      id: receivers.id,
      kind: receivers.kind,
      hourStart: receivers.hourStart,
      hourCount: receivers.hourCount,
      digestId: receivers.digestId,
    })
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), eq(receivers.isEnabled, sql`1`), isNull(receivers.removedAt)))
    .orderBy(asc(receivers.number))
    .prepare()
  const shared = { form: param('form'), id: param('id'), receiver: param('receiver'), submission: param('submission') }
  const insert = db
    .insert(deliveries)
    .values({ ...shared, kind: sql`'email'`, subject: param('subject') })
    .onConflictDoNothing()
    .prepare()
  const insertDigest = db
    .insert(deliveries)
    .values({
      ...shared,
      kind: sql`'digest'`,
      lastSubmission: param('submission'),
      count: sql`1`,
      dueAt: param('dueAt'),
    })
    .onConflictDoNothing()
    .prepare()
  // One that was claimed already is not extended: it may have been sent. Its row is due at the end of the hour, so this
  // happens only if the clock was set. Nor is one that failed, because the address was taken away for a while.
  const isOpenDigest = and(
    eq(deliveries.form, param('form')),
    eq(deliveries.id, param('digestId')),
    eq(deliveries.attempts, sql`0`),
    sql`${deliveries.state} = 'pending'`,
  )
  const extendDigest = db
    .update(deliveries)
    .set({
      submission: sql`min(${deliveries.submission}, ${param('id')})`,
      lastSubmission: sql`max(${deliveries.lastSubmission}, ${param('id')})`,
      count: sql`${deliveries.count} + 1`,
    })
    .where(isOpenDigest)
    .prepare()
  const hasten = db.update(deliveries).set({ dueAt: sql`0` }).where(isOpenDigest).prepare()
  const keep = db
    .update(receivers)
    .set({
      pendingCount: sql`${receivers.pendingCount} + ${param('added')}`,
      hourStart: sql`${param('hourStart')}`,
      hourCount: sql`${param('hourCount')}`,
      digestId: sql`${param('digestId')}`,
    })
    .where(eq(receivers.number, param('number')))
    .prepare()
  return { receiversOf, insert, insertDigest, extendDigest, hasten, keep }
}

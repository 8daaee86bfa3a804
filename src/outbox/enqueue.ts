import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import { creationTime, derivedId } from '../id.ts'

export interface Told {
  /** Of the submission. */
  readonly id: string
  /** The visitor's own subject for the e-mail. */
  readonly subject?: string | null | undefined
}

type Receiver = Pick<typeof receivers.$inferSelect, 'number' | 'id' | 'kind' | 'hourStart' | 'hourCount' | 'digestId'>

/** Submissions of one form, in an hour, of which an address is told one by one. One mail tells of all further ones. */
export const mailsPerHour = 60
const hourMilliseconds = 3_600_000

/**
 * Writes down that every receiver of a form is to be told of these submissions. Must run in the transaction that stores
 * them. Identifiers follow from submission and receiver, so nobody is told twice.
 */
export const enqueuer = (db: Db) => {
  const { receiversOf, insert, countPending, keepHour, insertDigest, extendDigest } = statements(db)

  /** Returns how many deliveries were added. */
  const tell = (form: number, receiver: Receiver, { id, subject = null }: Told): number => {
    const delivery = derivedId(id, receiver.id)
    return insert.all({ form, id: delivery, receiver: receiver.number, kind: receiver.kind, submission: id, subject })
      .length
  }

  /** Adds the submission to the mail at the end of the hour, which is a new one if `digestId` is null. */
  const gather = (form: number, receiver: Receiver, { id }: Told): Receiver & { added: number } => {
    const { number, digestId, hourStart } = receiver
    if (digestId && extendDigest.get({ form, digestId, id })) return { ...receiver, added: 0 }
    const dueAt = hourStart + hourMilliseconds
    const digest = derivedId(id, receiver.id, 'digest')
    const added = insertDigest.all({ form, id: digest, receiver: number, submission: id, dueAt }).length
    return { ...receiver, digestId: digest, added }
  }

  const tellByMail = (form: number, receiver: Receiver, told: readonly Told[]): number => {
    let added = 0
    let current = receiver
    for (const submission of told) {
      current = inItsHour(current, creationTime(submission.id))
      if (current.hourCount <= mailsPerHour) {
        added += tell(form, current, submission)
      } else {
        const gathered = gather(form, current, submission)
        added += gathered.added
        current = gathered
      }
    }
    const { number, hourStart, hourCount, digestId } = current
    keepHour.run({ number, hourStart, hourCount, digestId })
    return added
  }

  return (form: number, told: readonly Told[]): void => {
    for (const receiver of receiversOf.all({ form })) {
      const added =
        receiver.kind === 'email'
          ? tellByMail(form, receiver, told)
          : told.reduce((sum, submission) => sum + tell(form, receiver, submission), 0)
      countPending.run({ number: receiver.number, by: added })
    }
  }
}

/** Counts one submission more, in a new hour if the last one has ended, or if the clock was set back. */
const inItsHour = (receiver: Receiver, time: number): Receiver =>
  time < receiver.hourStart || time >= receiver.hourStart + hourMilliseconds
    ? { ...receiver, hourStart: time, hourCount: 1, digestId: null }
    : { ...receiver, hourCount: receiver.hourCount + 1 }

const statements = (db: Db) => {
  const byNumber = eq(receivers.number, param('number'))
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
    .where(and(eq(receivers.form, param('form')), eq(receivers.isEnabled, sql`1`)))
    .orderBy(asc(receivers.number))
    .prepare()
  const shared = { form: param('form'), id: param('id'), receiver: param('receiver'), submission: param('submission') }
  const insert = db
    .insert(deliveries)
    .values({ ...shared, kind: param('kind'), subject: param('subject') })
    .onConflictDoNothing()
    .returning({ form: deliveries.form })
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
    .returning({ form: deliveries.form })
    .prepare()
  // One that was claimed already is not extended: it may have been sent. Its row is due at the end of the hour, so this
  // happens only if the clock was set.
  const extendDigest = db
    .update(deliveries)
    .set({
      submission: sql`min(${deliveries.submission}, ${param('id')})`,
      lastSubmission: sql`max(${deliveries.lastSubmission}, ${param('id')})`,
      count: sql`${deliveries.count} + 1`,
    })
    .where(
      and(eq(deliveries.form, param('form')), eq(deliveries.id, param('digestId')), eq(deliveries.attempts, sql`0`)),
    )
    .returning({ form: deliveries.form })
    .prepare()
  const countPending = db
    .update(receivers)
    .set({ pendingCount: sql`${receivers.pendingCount} + ${param('by')}` })
    .where(byNumber)
    .prepare()
  const keepHour = db
    .update(receivers)
    .set({
      hourStart: sql`${param('hourStart')}`,
      hourCount: sql`${param('hourCount')}`,
      digestId: sql`${param('digestId')}`,
    })
    .where(byNumber)
    .prepare()
  return { receiversOf, insert, countPending, keepHour, insertDigest, extendDigest }
}

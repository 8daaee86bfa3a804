import { and, desc, eq, sql } from 'drizzle-orm'
import { derivedId } from '../base/id.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { deliveries, digestedSubmissions, given, is, literal, param } from '../storage/tables.ts'

/** A receiver, and the digest that it had last. */
interface Digesting {
  readonly number: number
  readonly id: string
  readonly digestId: string | null
}

/** A delivery that was removed because nothing is left for it to tell. */
type Emptied = Pick<typeof deliveries.$inferSelect, 'receiver' | 'state'>

/**
 * A digest is one mail about several submissions: those of a day, or those beyond the limit of an hour. It is a delivery
 * like any other, which waits until it is due and gathers submissions meanwhile. What is deleted, or spam after all,
 * leaves it, and with the last one it goes.
 */
export const digestWrites = oncePerConnection((db: Db) => {
  const { findWaiting, gather, insertMembers, hasten, postpone } = gathering(db)
  const { removeAll, pendingOfSubmission, removeMember, shrink, removeEmpty } = leaving(db)

  /** Counts members of digests that were removed. */
  const shrinkAll = (form: number, members: readonly { readonly digest: string }[]): Emptied[] =>
    [...Map.groupBy(members, ({ digest }) => digest)].flatMap(([digest, { length: by }]) => {
      const left = shrink.get({ form, digest, by })
      if (!left || (left.count ?? 0) > 0) return []
      removeEmpty.run({ form, digest })
      return [left]
    })

  /** When a digest is due that still gathers; undefined if it does not. */
  const dueAt = (form: number, digest: string): number | undefined => findWaiting.get({ form, digest })?.dueAt

  return {
    dueAt,

    /**
     * Adds submissions to the digest that a receiver gets at this time, which is a new one if none waits. Adds none that a
     * digest of the receiver has.
     *
     * @param ids at least one; several only if no digest can have any of them
     * @returns the digest, and how many deliveries were added
     */
    add(
      form: number,
      receiver: Digesting,
      ids: readonly string[],
      at: number,
    ): { digestId: string | null; added: number } {
      const { number, digestId } = receiver
      const [first = ''] = ids.toSorted()
      const open = digestId !== null && dueAt(form, digestId) === at ? digestId : undefined
      const digest = open ?? derivedId(first, receiver.id, 'digest')
      const by = changesOf(insertMembers.run({ form, ids: JSON.stringify(ids), receiver: number, digest }))
      if (by === 0) return { digestId, added: 0 }
      const gathered = gather.get({ form, digest, receiver: number, submission: first, by, dueAt: at })
      return { digestId: digest, added: Number(gathered?.count === by) }
    },

    /** Makes one that waits due at once. */
    hasten: (form: number, digest: string): void => void hasten.run({ form, digest }),

    /** Makes one that waits, and is not due yet, due at another time. */
    postpone: (form: number, digest: string, now: number, dueAt: number): void =>
      void postpone.run({ form, digest, now, dueAt }),

    /** Takes submissions that are deleted out of all digests. */
    leaveAll: (form: number, submissions: Iterable<string>): Emptied[] =>
      shrinkAll(
        form,
        [...submissions].flatMap((submission) => removeAll.all({ form, submission })),
      ),

    /** Takes a submission that is spam now out of those that were not sent. */
    leavePending(form: number, submission: string): Emptied[] {
      const members = pendingOfSubmission.all({ form, submission })
      for (const { receiver } of members) removeMember.run({ form, submission, receiver })
      return shrinkAll(form, members)
    },

    ...forgetting(db),
  }
})

const gathering = (db: Db) => {
  // One that was claimed already gathers nothing more: it may have been sent. Nor does one that failed, because the address
  // was taken away for a while.
  const waits = and(
    eq(deliveries.form, param('form')),
    eq(deliveries.id, param('digest')),
    eq(deliveries.attempts, literal(0)),
    is(deliveries.state, 'pending'),
  )
  const findWaiting = db.select({ dueAt: deliveries.dueAt }).from(deliveries).where(waits).prepare()
  const hasten = db
    .update(deliveries)
    .set({ dueAt: literal(0) })
    .where(waits)
    .prepare()
  const postpone = db
    .update(deliveries)
    .set({ dueAt: given('dueAt') })
    .where(and(waits, sql`${deliveries.dueAt} > ${param('now')}`))
    .prepare()
  return { findWaiting, gather: gather(db), insertMembers: insertMembers(db), hasten, postpone }
}

const gather = statement(
  `INSERT INTO deliveries (form, id, receiver, kind, submission, count, due_at)
  VALUES ($form, $digest, $receiver, 'digest', $submission, $by, $dueAt)
  ON CONFLICT (form, id) DO UPDATE SET
    submission = min(submission, excluded.submission),
    count = count + excluded.count
  RETURNING count`,
  { count: deliveries.count },
)

/** Without `WHERE`, SQLite would take what follows for the condition of a join. */
const insertMembers = statement(`
  INSERT INTO digested_submissions (form, submission, receiver, digest)
  SELECT $form, value, $receiver, $digest FROM json_each($ids) WHERE true
  ON CONFLICT DO NOTHING`)

const leaving = (db: Db) => {
  const { form, submission, receiver, digest } = digestedSubmissions
  const ofThis = and(eq(form, param('form')), eq(submission, param('submission')))
  const removeAll = db.delete(digestedSubmissions).where(ofThis).returning({ digest }).prepare()
  const removeMember = db
    .delete(digestedSubmissions)
    .where(and(ofThis, eq(receiver, param('receiver'))))
    .prepare()
  const byKey = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('digest')))
  const removeEmpty = db.delete(deliveries).where(byKey).prepare()
  return { removeAll, pendingOfSubmission: pendingOfSubmission(db), removeMember, shrink: shrink(db), removeEmpty }
}

const pendingOfSubmission = statement(
  `SELECT digested.receiver, digest
  FROM digested_submissions AS digested JOIN deliveries ON deliveries.form = digested.form AND deliveries.id = digest
  WHERE digested.form = $form AND digested.submission = $submission AND state = 'pending'
  ORDER BY digested.receiver`,
  { receiver: digestedSubmissions.receiver, digest: digestedSubmissions.digest },
)

const shrink = statement(
  `UPDATE deliveries SET
    count = count - $by,
    submission = coalesce(
      (SELECT submission FROM digested_submissions WHERE digest = $digest ORDER BY submission LIMIT 1),
      submission)
  WHERE form = $form AND id = $digest
  RETURNING count, receiver, state`,
  { count: deliveries.count, receiver: deliveries.receiver, state: deliveries.state },
)

/** Forgets what digests were about, slice by slice: a digest may be about a million submissions. */
const forgetting = (db: Db) => {
  const [ofDigest, ofForm] = [forgetOfDigest(db), forgetOfForm(db)]
  return {
    /** Returns how many they were: if fewer than `limit`, none is left. */
    forget: (digest: string, limit: number): number => changesOf(ofDigest.run({ digest, limit })),
    forgetOfForm: (form: number, limit: number): number => changesOf(ofForm.run({ form, limit })),
  }
}

const oldestOnes = (isOne: string): string => `
  DELETE FROM digested_submissions WHERE ${isOne} AND submission <= (
    SELECT max(submission) FROM (
      SELECT submission FROM digested_submissions WHERE ${isOne} ORDER BY submission LIMIT $limit))`
const forgetOfDigest = statement(oldestOnes('digest = $digest'))
const forgetOfForm = statement(oldestOnes('form = $form'))

/** The newest submissions that a digest is about, newest first. */
export const digestReader = (db: Db): ((digest: string, limit: number) => string[]) => {
  const { submission, digest } = digestedSubmissions
  const newest = db
    .select({ submission })
    .from(digestedSubmissions)
    .where(eq(digest, param('digest')))
    .orderBy(desc(submission))
    .limit(param('limit'))
    .prepare()
  return (id, limit) => newest.all({ digest: id, limit }).map((row) => row.submission)
}

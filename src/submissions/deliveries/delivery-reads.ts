import { and, desc, eq, gt, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { isAboutOne, isAlarming, quietKindsText } from '../../outbox/kinds.ts'
import type { Db } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import { deliveries, digestedSubmissions, is, literal, param, receivers } from '../../storage/tables.ts'

export const deliveryStates = ['pending', 'delivered', 'failed', 'skipped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Deliveries of a form, given by its number, with their receivers. */
export const deliveryReads = (db: Db) => {
  const columns = {
    id: deliveries.id,
    kind: deliveries.kind,
    submission: deliveries.submission,
    count: deliveries.count,
    state: deliveries.state,
    attempts: deliveries.attempts,
    dueAt: deliveries.dueAt,
    log: deliveries.log,
    receiverId: receivers.id,
    target: sql<string>`coalesce(${deliveries.target}, ${receivers.target})`,
    reason: deliveries.reason,
    description: receivers.description,
    isReceiverEnabled: receivers.isEnabled,
    receiverFailed: receivers.failedCount,
    receiverPending: receivers.pendingCount,
    failingSince: receivers.failingSince,
  }
  const ofThisForm = eq(deliveries.form, param('form'))
  const ofReceiversForm = eq(receivers.form, param('form'))
  const rows = () => db.select(columns).from(deliveries).innerJoin(receivers, eq(receivers.number, deliveries.receiver))
  const anyReceiver = db
    .select({ found: literal(1) })
    .from(receivers)
    .where(ofReceiversForm)
    .limit(1)
    .prepare()
  const newest = rows().where(ofThisForm).orderBy(desc(deliveries.id)).limit(param('limit')).prepare()
  const inSomeStates = (where: SQL) =>
    rows()
      .where(and(ofThisForm, where))
      .orderBy(desc(deliveries.id))
      .limit(param('limit'))
      .offset(param('offset'))
      .prepare()
  const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map(param)
  const isListed = sql`${deliveries.state} in (${first}, ${second}, ${third}, ${fourth})`
  const some = inSomeStates(isListed)
  // These have an index, since a few may be among a million. What is pending is among the newest.
  const rare = {
    failed: inSomeStates(is(deliveries.state, 'failed')),
    skipped: inSomeStates(is(deliveries.state, 'skipped')),
  }
  const ofSubmission = rows()
    .where(
      and(
        ofThisForm,
        gte(deliveries.id, param('from')),
        lte(deliveries.id, param('to')),
        eq(deliveries.submission, param('submission')),
        isAboutOne,
      ),
    )
    .prepare()
  const digestIds = db
    .select({ id: digestedSubmissions.digest })
    .from(digestedSubmissions)
    .where(and(eq(digestedSubmissions.form, param('form')), eq(digestedSubmissions.submission, param('submission'))))
  const digests = rows()
    .where(and(ofThisForm, inArray(deliveries.id, digestIds)))
    .prepare()
  const count = db
    .select({
      pending: sql<number>`coalesce(sum(${receivers.pendingCount}), 0)`,
      delivered: sql<number>`coalesce(sum(${receivers.deliveredCount}), 0)`,
      failed: sql<number>`coalesce(sum(${receivers.failedCount}), 0)`,
      skipped: sql<number>`coalesce(sum(${receivers.skippedCount}), 0)`,
    })
    .from(receivers)
    .where(ofReceiversForm)
    .prepare()
  const failures = db
    .select({
      failed: sql<number>`coalesce(sum(${receivers.failedCount}), 0)`,
      failing: sql<number>`count(coalesce(${receivers.failingSince}, ${receivers.disabledReason}))`,
    })
    .from(receivers)
    .where(and(ofReceiversForm, isNull(receivers.removedAt), isAlarming))
    .prepare()

  const isFailing = or(
    gt(receivers.failedCount, 0),
    isNotNull(receivers.failingSince),
    isNotNull(receivers.disabledReason),
  )
  const ofForms = sql`${receivers.form} in (select value from json_each(${param('forms')}))`
  const failingForms = db
    .selectDistinct({ form: receivers.form })
    .from(receivers)
    .where(and(ofForms, isNull(receivers.removedAt), isAlarming, isFailing))
    .orderBy(receivers.form)
    .prepare()

  const ofReceiver = eq(deliveries.receiver, param('receiver'))
  const failedTo = rows()
    .where(and(ofReceiver, is(deliveries.state, 'failed')))
    .orderBy(desc(deliveries.id))
    .limit(param('limit'))
    .prepare()
  const waitingFor = rows()
    .where(and(ofReceiver, is(deliveries.state, 'pending')))
    .orderBy(desc(deliveries.dueAt))
    .limit(param('limit'))
    .prepare()

  return {
    anyReceiver,
    newest,
    /** To the receiver with this number, the newest first. */
    failedTo,
    /** The last one to be tried first. */
    waitingFor,
    inStates(states: readonly DeliveryState[], rest: { form: number; limit: number; offset: number }) {
      const [first, second = first, third = first, fourth = first] = states
      if (states.length === 1 && (first === 'failed' || first === 'skipped')) return rare[first].all(rest)
      return some.all({ first, second, third, fourth, ...rest })
    },
    ofSubmission,
    digests,
    failures,
    failingForms,
    failedAmong: failedAmong(db),
    counts: (formNumber: number): Readonly<Record<DeliveryState, number>> =>
      count.get({ form: formNumber }) ?? { pending: 0, delivered: 0, failed: 0, skipped: 0 },
  }
}

// Identifiers of deliveries begin as that of their submission. So each is looked for among the few that do.
const failedAmong = statement(
  `SELECT found.id FROM (SELECT value AS id FROM json_each($ids)) AS found
  WHERE EXISTS (
    SELECT 1 FROM deliveries JOIN receivers ON receivers.number = receiver
    WHERE deliveries.form = $form AND deliveries.id >= substr(found.id, 1, $shared)
      AND deliveries.id < substr(found.id, 1, $shared) || $after
      AND submission = found.id AND state = 'failed' AND deliveries.kind NOT IN (${quietKindsText}) AND removed_at IS NULL
  ) OR EXISTS (
    SELECT 1 FROM digested_submissions AS digested
      JOIN deliveries ON deliveries.form = digested.form AND deliveries.id = digested.digest
      JOIN receivers ON receivers.number = deliveries.receiver AND removed_at IS NULL
    WHERE digested.form = $form AND digested.submission = found.id AND state = 'failed'
  )`,
  { id: computed<string>() },
)

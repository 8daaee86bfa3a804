import { and, desc, eq, gte, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import type { Reader } from '../db/reader.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import { invalid } from '../errors.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { afterEveryId, commonStart } from '../id.ts'
import type { ListPage } from '../list-page.ts'
import { type Attempt, attemptsOf } from '../outbox/attempt.ts'
import type { DeliveryWrites } from './delivery-writes.ts'

export type DeliveryStore = ReturnType<typeof openDeliveryStore>

export const deliveryStates = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** A delivery with its receiver and the attempts that are kept of it, oldest first. */
export interface Delivery
  extends Pick<
    typeof deliveries.$inferSelect,
    'id' | 'kind' | 'submission' | 'lastSubmission' | 'count' | 'state' | 'attempts' | 'dueAt'
  > {
  /** Identifier of the receiver. */
  readonly receiverId: string
  /** URL or address. */
  readonly target: string
  readonly log: readonly Attempt[]
}

export interface FoundDeliveries {
  readonly total: number
  readonly deliveries: readonly Delivery[]
}

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<DeliveryWrites>
  /** Called when a delivery is due. */
  readonly onDue: () => void
}

/** Functions with a `userId` throw the AppErrors `not_found` and `forbidden` (another user's form). */
export const openDeliveryStore = ({ reader, findForm, writer, onDue }: Options) => {
  const { findOwnForm } = formOwnership(findForm)
  const { inStates, newest, counts, ofSubmission, trouble } = deliveryReads(reader.db)

  return {
    /**
     * One page of those in these states, newest first. `total` counts the deliveries on all pages.
     *
     * @throws AppError `invalid` for a page beyond the newest 100,000: to find it, as many rows are looked through
     */
    listDeliveries(
      userId: string,
      formId: string,
      states: readonly DeliveryState[],
      { page, perPage }: ListPage,
    ): FoundDeliveries {
      const { number: form } = findOwnForm(userId, formId)
      const counted = counts(form)
      const total = states.reduce((sum, state) => sum + counted[state], 0)
      const offset = (page - 1) * perPage
      if (offset >= total) return { total, deliveries: [] }
      if (offset >= maxOffset)
        throw invalid({ field: 'page', message: `must be among the newest ${maxOffset} deliveries of the list` })
      // Not one more than there are, which would be looked for among all others.
      const limit = Math.min(perPage, total - offset)
      return { total, deliveries: inStates(states, { form, limit, offset }).map(toDelivery) }
    },

    /** What went wrong with the form's receivers. */
    findTrouble: ({ number }: Pick<Form, 'number'>): Trouble => trouble.get({ form: number }) ?? noTrouble,

    /** Those of one submission, in no particular order. */
    ofSubmission: (form: Form, submission: string): readonly Delivery[] => {
      const from = commonStart(submission)
      return ofSubmission.all({ form: form.number, from, to: from + afterEveryId, submission }).map(toDelivery)
    },

    /** The newest ones of the form by the identifiers of their receivers, newest first. */
    lastByReceiver: (form: Form): ReadonlyMap<string, readonly Delivery[]> =>
      Map.groupBy(newest.all({ form: form.number, limit: recent }).map(toDelivery), (one) => one.receiverId),

    /** @throws AppError `invalid` if nobody would be told */
    async retryDelivery(userId: string, formId: string, id: string): Promise<void> {
      await writer.run('retryDelivery', { userId, formId, id })
      onDue()
    },
  }
}

/** At a million deliveries, the last page took 0.4 s of the main thread. This one takes a tenth. */
const maxOffset = 100_000

/** How many of a form are looked at to find the last ones of each receiver. */
const recent = 200

interface Trouble {
  /** Deliveries that failed after their last attempt. */
  readonly failed: number
  /** Receivers whose last attempt failed, or that Formbox switched off because of failures. */
  readonly failing: number
}

const noTrouble: Trouble = { failed: 0, failing: 0 }

const toDelivery = ({ log, ...rest }: Omit<Delivery, 'log'> & { readonly log: string }): Delivery => ({
  ...rest,
  log: attemptsOf(log),
})

const deliveryReads = (db: Db) => {
  const columns = {
    id: deliveries.id,
    kind: deliveries.kind,
    submission: deliveries.submission,
    lastSubmission: deliveries.lastSubmission,
    count: deliveries.count,
    state: deliveries.state,
    attempts: deliveries.attempts,
    dueAt: deliveries.dueAt,
    log: deliveries.log,
    receiverId: receivers.id,
    target: receivers.target,
  }
  const ofThisForm = eq(deliveries.form, param('form'))
  const rows = () => db.select(columns).from(deliveries).innerJoin(receivers, eq(receivers.number, deliveries.receiver))
  const newest = rows().where(ofThisForm).orderBy(desc(deliveries.id)).limit(param('limit')).prepare()
  const inSomeStates = (where: SQL) =>
    rows()
      .where(and(ofThisForm, where))
      .orderBy(desc(deliveries.id))
      .limit(param('limit'))
      .offset(param('offset'))
      .prepare()
  const isListed = sql`${deliveries.state} in (${param('first')}, ${param('second')}, ${param('third')})`
  const some = inSomeStates(isListed)
  // Has an index, since a few may be among a million. What is pending is among the newest.
  const failed = inSomeStates(sql`${deliveries.state} = 'failed'`)
  const ofSubmission = rows()
    .where(
      and(
        ofThisForm,
        gte(deliveries.id, param('from')),
        lte(deliveries.id, param('to')),
        eq(deliveries.submission, param('submission')),
      ),
    )
    .prepare()
  const count = db
    .select({
      pending: sql<number>`coalesce(sum(${receivers.pendingCount}), 0)`,
      delivered: sql<number>`coalesce(sum(${receivers.deliveredCount}), 0)`,
      failed: sql<number>`coalesce(sum(${receivers.failedCount}), 0)`,
    })
    .from(receivers)
    .where(eq(receivers.form, param('form')))
    .prepare()
  const trouble = db
    .select({
      failed: sql<number>`coalesce(sum(${receivers.failedCount}), 0)`,
      failing: sql<number>`count(coalesce(${receivers.failingSince}, ${receivers.disabledReason}))`,
    })
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), isNull(receivers.removedAt)))
    .prepare()

  return {
    newest,
    inStates(states: readonly DeliveryState[], rest: { form: number; limit: number; offset: number }) {
      const [first, second = first, third = first] = states
      return first === 'failed' && second === first ? failed.all(rest) : some.all({ first, second, third, ...rest })
    },
    ofSubmission,
    trouble,
    counts: (form: number): Readonly<Record<DeliveryState, number>> =>
      count.get({ form }) ?? { pending: 0, delivered: 0, failed: 0 },
  }
}

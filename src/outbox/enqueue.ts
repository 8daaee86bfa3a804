import { and, asc, eq, isNull } from 'drizzle-orm'
import { hourMilliseconds } from '../base/durations.ts'
import { creationTime, endingLength, numberEnding, numberedId } from '../base/id.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { deliveries, type forms, givens, literal, param, receivers } from '../storage/tables.ts'
import type { Decision, Undecided } from './condition.ts'
import { deliveryCounter } from './counts.ts'
import type { DigestTimes } from './digest-times.ts'
import { digestWrites } from './digests.ts'
import { longestHours, type MailHour, mailHourWrites } from './mail-hours.ts'
import { conditionsId } from './receivers.ts'
import { type Answerable, replyEnqueuer } from './replies.ts'

export interface EnqueuedSubmission extends Answerable {
  /** The visitor's own subject for the e-mail. */
  readonly subject?: string | null | undefined
  /** Absent if no receiver of the form has a condition. */
  readonly decision?: Decision | undefined
  /** When digests are due that it is in; absent if no address of its form got any when it was sent. */
  readonly digestAt?: DigestTimes | undefined
}

type Receiving = Pick<typeof forms.$inferSelect, 'number' | 'receiverCount'>

/** The form's conditions, if they are not those of the decision: another machine, or another request, has changed them. */
export const undecidedFor = (
  form: { readonly conditions: string | null } | undefined,
  decision: Decision | undefined,
): Undecided | undefined => {
  const conditions = form?.conditions ?? null
  const id = conditions === null ? undefined : conditionsId(conditions)
  return id === decision?.id ? undefined : { state: 'undecided', conditions }
}

/**
 * Adds a delivery of each of these submissions for every receiver of their form that it is meant for. Must run in the
 * transaction that stores them. Identifiers follow from submission and receiver, so there is never a second one. Returns
 * whether there may be deliveries.
 */
export const enqueuer = oncePerConnection((db: Db) => {
  const { receiversOf, insert, saveState } = statements(db)
  const count = deliveryCounter(db)
  const digests = digestWrites(db)
  const readMailHours = mailHourWrites(db)
  const addForWebhooks = webhookEnqueuer(db)
  const addReplies = replyEnqueuer(db)

  /** Adds nothing if there is a mail about it already. */
  const addMail = (
    formNumber: number,
    receiver: ReceiverState,
    { id, subject = null }: EnqueuedSubmission,
  ): ReceiverState => {
    const { number } = receiver
    const row = { form: formNumber, id: numberedId(id, number), receiver: number, submission: id, subject }
    return { ...receiver, added: receiver.added + changesOf(insert.run(row)) }
  }

  /** Leaves it to `gather`, together with those that come next. */
  const addToDigest = (
    formNumber: number,
    receiver: ReceiverState,
    { id }: EnqueuedSubmission,
    dueAt: number,
  ): ReceiverState => {
    if (receiver.gathered?.dueAt !== dueAt) return { ...gather(formNumber, receiver), gathered: { dueAt, ids: [id] } }
    receiver.gathered.ids.push(id)
    return receiver
  }

  /** Adds what belongs to a digest. One by one, a submission took 10 µs more. */
  const gather = (formNumber: number, receiver: ReceiverState): ReceiverState => {
    if (!receiver.gathered) return receiver
    const { digestId, added } = digests.add(formNumber, receiver, receiver.gathered.ids, receiver.gathered.dueAt)
    return { ...receiver, digestId, added: receiver.added + added, gathered: undefined }
  }

  /** When the digest is due that a submission beyond the limit of an hour is added to: the one that waits, or a new one. */
  const restDueAt = (
    formNumber: number,
    { gathered, digestId }: ReceiverState,
    time: number,
    hour: MailHour,
  ): number => {
    const waiting = gathered?.dueAt ?? (digestId === null ? undefined : digests.dueAt(formNumber, digestId)) ?? 0
    const isWaiting = waiting > time && waiting <= time + longestHours * hourMilliseconds
    return isWaiting ? waiting : hour.addDigest()
  }

  const addForAddress = (
    formNumber: number,
    receiver: ReceiverState,
    submission: EnqueuedSubmission,
    hours: ReturnType<typeof readMailHours>,
  ): ReceiverState => {
    // Without a time, the address got mails one by one until a moment ago.
    if (receiver.digest !== null && submission.digestAt !== undefined)
      return addToDigest(formNumber, receiver, submission, submission.digestAt[receiver.digest])
    const time = submission.at ?? creationTime(submission.id)
    const hour = hours.at(receiver.target, time)
    const isBack = hour.startsAt < receiver.hourStart
    const before = isBack ? gather(formNumber, receiver) : receiver
    // By a clock that was set back, the hour of its digest may not end for long.
    if (isBack && before.digestId !== null) digests.hasten(formNumber, before.digestId)
    const told = { ...before, hourStart: hour.startsAt }
    return hour.add()
      ? addMail(formNumber, told, submission)
      : addToDigest(formNumber, told, submission, restDueAt(formNumber, told, time, hour))
  }

  return ({ number: formNumber, receiverCount }: Receiving, submissions: readonly EnqueuedSubmission[]): boolean => {
    if (receiverCount === 0) return false
    const all: ReceiverState[] = receiversOf.all({ form: formNumber }).map((receiver) => ({ ...receiver, added: 0 }))
    const [always, sometimes] = [true, false].map((isAlways) =>
      all.filter(({ kind, only }) => kind === 'webhook' && (only === null) === isAlways),
    ) as [ReceiverState[], ReceiverState[]]
    const addFor = (webhooks: readonly ReceiverState[], some: readonly EnqueuedSubmission[]): ReceiverState[] => {
      const numbers = webhooks.map(({ number }) => number)
      const ids = some.map(({ id }) => id)
      const added = addForWebhooks(formNumber, numbers, ids)
      return webhooks.map((webhook, position) => ({ ...webhook, added: added[position] as number }))
    }
    // As `forms.conditions` has them.
    const conditional = all.filter(({ only }) => only !== null)
    const meantFor = (receiver: ReceiverState) => {
      const position = conditional.indexOf(receiver)
      return submissions.filter(({ decision }) => position === -1 || decision?.holding.includes(position))
    }
    const addresses = all.filter(({ kind }) => kind === 'email')
    const visitors = all.find(({ kind }) => kind === 'reply')
    if (visitors) {
      const notified = addresses.map(({ target }) => target)
      addReplies(formNumber, visitors.number, notified, submissions)
    }
    const hours = readMailHours()
    const changed = [
      ...addFor(always, submissions),
      ...sometimes.flatMap((webhook) => addFor([webhook], meantFor(webhook))),
      ...addresses.map((address) =>
        gather(
          formNumber,
          meantFor(address).reduce((receiver, one) => addForAddress(formNumber, receiver, one, hours), address),
        ),
      ),
    ]
    hours.save()
    for (const { number, added, hourStart, digestId, kind } of changed) {
      count(number, null, 'pending', added)
      if (kind === 'email') saveState.run({ number, hourStart, digestId })
    }
    return true
  }
})

/** A receiver in the middle of a batch. */
interface ReceiverState
  extends Pick<
    typeof receivers.$inferSelect,
    'number' | 'id' | 'kind' | 'target' | 'only' | 'digest' | 'hourStart' | 'digestId'
  > {
  /** Deliveries that were added for it. */
  readonly added: number
  /** Submissions that belong to one digest, and are still to be added to it. */
  readonly gathered?: { readonly dueAt: number; readonly ids: string[] } | undefined
}

const statements = (db: Db) => {
  const receiversOf = db
    .select({
      number: receivers.number,
      id: receivers.id,
      kind: receivers.kind,
      target: receivers.target,
      only: receivers.only,
      digest: receivers.digest,
      hourStart: receivers.hourStart,
      digestId: receivers.digestId,
    })
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), eq(receivers.isEnabled, literal(1)), isNull(receivers.removedAt)))
    .orderBy(asc(receivers.number))
    .prepare()
  const shared = { form: param('form'), id: param('id'), receiver: param('receiver'), submission: param('submission') }
  const insert = db
    .insert(deliveries)
    .values({ ...shared, kind: literal('email'), subject: param('subject') })
    .onConflictDoNothing()
    .prepare()
  const saveState = db
    .update(receivers)
    .set(givens('hourStart', 'digestId'))
    .where(eq(receivers.number, param('number')))
    .prepare()
  return { receiversOf, insert, saveState }
}

/**
 * Adds a delivery of each submission to each webhook, given by its number. Returns how many were added for each webhook:
 * none for one that has a delivery of a single submission already, as of one that was spam in between.
 *
 * @throws Error if some of several submissions have deliveries already: then each has to be added alone
 */
const webhookEnqueuer = (db: Db) => {
  const insert = insertForWebhooks(db)

  return (formNumber: number, webhooks: readonly number[], ids: readonly string[]): number[] => {
    const submissions = JSON.stringify(ids)
    const add = (some: readonly number[]): number => {
      const numbers = Object.fromEntries(some.map((number) => [numberEnding(number), number]))
      return changesOf(insert.run({ form: formNumber, submissions, numbers: JSON.stringify(numbers) }))
    }
    if (ids.length === 1) return webhooks.map((webhook) => add([webhook]))
    if (webhooks.length > 0 && add(webhooks) !== webhooks.length * ids.length)
      throw new Error('webhooks have deliveries of some of these submissions from before')
    return webhooks.map(() => ids.length)
  }
}

/**
 * Inserts all rows of a batch: with one statement for each row, a submission with two webhooks took 2.5 µs more. The
 * identifiers are those of `numberedId`. Rows that are inserted in the order of their keys, submission by submission, take half
 * the time. Without `WHERE`, SQLite would take what follows for the condition of the join.
 */
const insertForWebhooks = statement(`
  INSERT INTO deliveries (form, id, receiver, kind, submission)
  SELECT $form, substr(added.value, 1, length(added.value) - ${endingLength}) || webhook.key, webhook.value, 'webhook', added.value
  FROM json_each($submissions) AS added CROSS JOIN json_each($numbers) AS webhook
  WHERE true
  ON CONFLICT DO NOTHING`)

import { invalid } from '../../base/errors.ts'
import { afterEveryId, commonStart } from '../../base/id.ts'
import type { ListPage } from '../../base/list-page.ts'
import type { Allowed, FormAccess, FormTo } from '../../forms/access.ts'
import { type Attempt, attemptsOf } from '../../outbox/finish.ts'
import { deliveryKinds, receiverKinds } from '../../outbox/kinds.ts'
import { type Receiver, receiverReader } from '../../outbox/receivers.ts'
import type { Reader } from '../../storage/reader.ts'
import type { deliveries } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { type DeliveryState, deliveryReads } from './delivery-reads.ts'
import { type DeliveryWrites, type Retried, retryStart } from './delivery-writes.ts'

export type DeliveryStore = ReturnType<typeof openDeliveryStore>

/** A delivery with its receiver and the attempts that are stored of it, oldest first. */
export interface Delivery
  extends Pick<
    typeof deliveries.$inferSelect,
    'id' | 'kind' | 'submission' | 'count' | 'state' | 'attempts' | 'dueAt' | 'reason'
  > {
  /** Identifier of the receiver. */
  readonly receiverId: string
  /** URL or address. */
  readonly target: string
  /** The description of a webhook. */
  readonly description: string | null
  /** False if the webhook was switched off or the receiver taken away: then it gets no deliveries. */
  readonly isReceiverEnabled: boolean
  /** How many deliveries to the receiver have failed, and how many wait. */
  readonly receiverFailed: number
  readonly receiverPending: number
  /** When the receiver's first failure since its last success was. */
  readonly failingSince: number | null
  readonly lastAttempts: readonly Attempt[]
}

/** A receiver without its secrets. */
export type ListedReceiver = Omit<Receiver, 'secret' | 'oldSecrets' | 'headers' | 'urlToken'>

interface FoundDeliveries {
  readonly total: number
  readonly deliveries: readonly Delivery[]
}

/** Deliveries are due. @param what.isByHand someone tries again, so that no pause goes on */
export type OnDue = (what?: { readonly isByHand?: boolean }) => void

interface Options {
  readonly reader: Reader
  readonly access: FormAccess
  readonly writer: Writer<DeliveryWrites>
  readonly now: () => number
  /** Called when a delivery is due. */
  readonly onDue: OnDue
}

/** Functions with a `userId` throw the AppErrors `not_found` and `forbidden` (another user's form). */
export const openDeliveryStore = ({ reader, access, writer, now, onDue }: Options) => {
  const {
    anyReceiver,
    inStates,
    newest,
    counts,
    ofSubmission,
    digests,
    failures,
    failingForms,
    failedAmong,
    failedTo,
    waitingFor,
  } = deliveryReads(reader.db)
  const receiversOf = receiverReader(reader.db)
  /** The newest of each receiver by its identifier: so many, as far as they are among the last of the form. */
  const newestOf = (form: number, perReceiver: number): ReadonlyMap<string, readonly Delivery[]> =>
    new Map(
      [
        ...Map.groupBy(newest.all({ form, limit: perReceiver * lookedAt }).map(toDelivery), (one) => one.receiverId),
      ].map(([receiverId, rows]) => [receiverId, rows.slice(0, perReceiver)]),
    )

  return {
    /**
     * One page of those in these states, newest first. `total` counts the deliveries on all pages.
     *
     * @throws AppError `invalid` for a page beyond the newest 100,000: to find it, as many rows are looked through
     */
    listDeliveries(
      userId: string,
      form: FormTo<'deliver'>,
      states: readonly DeliveryState[],
      { page, perPage }: ListPage,
    ): FoundDeliveries {
      const { number: formNumber } = form
      const shown = access.mayDo(userId, form, 'webhooks')
        ? toDelivery
        : (row: DeliveryRow) => withoutUrl(toDelivery(row))
      const counted = counts(formNumber)
      const total = states.reduce((sum, state) => sum + counted[state], 0)
      const offset = (page - 1) * perPage
      if (offset >= total) return { total, deliveries: [] }
      if (offset >= maxOffset)
        throw invalid({ field: 'page', message: `must be among the newest ${maxOffset} deliveries of the list` })
      // Not one more than there are, which would be looked for among all others.
      const limit = Math.min(perPage, total - offset)
      return { total, deliveries: inStates(states, { form: formNumber, limit, offset }).map(shown) }
    },

    /** Counts the form's failed deliveries, and its receivers that fail. Visitors are none. */
    findFailures: ({ number }: FormTo<'deliver'>): Failures => failures.get({ form: number }) ?? noFailures,

    /** Finds the numbers of those forms of which `findFailures` finds something. */
    findFailing(forms: readonly Allowed<'deliver', 'number'>[]): ReadonlySet<number> {
      const numbers = JSON.stringify(forms.map(({ number }) => number))
      return new Set(failingForms.all({ forms: numbers }).map(({ form }) => form))
    },

    /** Finds those of the submissions of which a delivery failed for good. Call it if `findFailures` finds some. */
    failedAmong({ number: form }: Allowed<'deliver', 'number'>, ids: readonly string[]): ReadonlySet<string> {
      const shared = commonStart(ids[0] ?? '').length
      const found = failedAmong.all({ form, ids: JSON.stringify(ids), shared, after: afterEveryId })
      return new Set(found.map(({ id }) => id))
    },

    /** How many deliveries the form has in each state. */
    countDeliveries: ({ number }: FormTo<'deliver'>): Readonly<Record<DeliveryState, number>> => counts(number),

    /**
     * Finds the receivers that fail, those with the most failures first, and the last delivery that failed to each. That
     * takes a look-up for each: call it if something failed.
     */
    findTroubles: ({ number }: FormTo<'deliver'>): readonly Trouble[] =>
      receiversOf(number)
        .filter((one) => receiverKinds[one.kind].isAlarming && (one.failedCount > 0 || one.failingSince !== null))
        .sort((one, other) => other.failedCount - one.failedCount)
        .map((receiver) => {
          const newest = receiver.failedCount > 0 ? failedTo : waitingFor
          const row = newest.get({ receiver: receiver.number, limit: 1 })
          return { receiver: withoutHidden(receiver), last: row && toDelivery(row) }
        }),

    /**
     * Finds for each receiver of the form, also for replies, its newest deliveries, and of those that failed or wait as many
     * as are shown. Those in trouble are first.
     */
    findByReceiver(userId: string, form: FormTo<'deliver'>): readonly ReceiverDeliveries[] {
      const maySeeUrl = access.mayDo(userId, form, 'webhooks')
      const lately = newestOf(form.number, lastShown)
      const found = receiversOf(form.number).map((receiver) => {
        const rows = { receiver: receiver.number, limit: maxUndelivered }
        return {
          receiver: maySeeUrl ? receiver : withoutHidden(receiver),
          lately: lately.get(receiver.id) ?? [],
          waiting: receiver.pendingCount > 0 ? waitingFor.all(rows).map(toDelivery).reverse() : [],
          failed: receiver.failedCount > 0 ? failedTo.all(rows).map(toDelivery) : [],
        }
      })
      const rank = ({ receiver }: ReceiverDeliveries): number =>
        receiverKinds[receiver.kind].isAlarming && isInTrouble(receiver)
          ? 0
          : !receiverKinds[receiver.kind].isAlarming
            ? 2
            : 1
      return found.sort((one, other) => rank(one) - rank(other))
    },

    /** Lists the addresses and webhooks of a form, in the order in which they were added. */
    listReceivers: ({ number }: FormTo<'webhooks'>): readonly ListedReceiver[] =>
      receiversOf(number).filter(({ kind }) => receiverKinds[kind].isAlarming),

    /** Finds a receiver of the form; undefined if it was taken away. */
    findReceiver: ({ number }: FormTo<'deliver'>, id: string): Pick<Receiver, 'kind' | 'target'> | undefined =>
      receiversOf(number).find((receiver) => receiver.id === id),

    /** Finds those of one submission, and the mails about several of which it is one. */
    ofSubmission: ({ number: formNumber }: FormTo<'deliver'>, submission: string): readonly Delivery[] => {
      // Most forms tell no one.
      if (anyReceiver.get({ form: formNumber }) === undefined) return []
      const from = commonStart(submission)
      const to = from + afterEveryId
      const own = ofSubmission.all({ form: formNumber, from, to, submission })
      return [...own, ...digests.all({ form: formNumber, submission })].map(toDelivery)
    },

    /** Finds the newest ten of each receiver by the identifiers of their receivers, newest first. */
    lastByReceiver: (form: FormTo<'deliver'>) => newestOf(form.number, 10),

    /** Makes one that failed for good one that is not sent. Any other stays as it is. */
    dismissDelivery: (userId: string, formId: string, id: string): Promise<void> =>
      writer.run('dismissDelivery', { userId, formId, id }),

    /** @throws AppError `invalid` if the receiver was switched off or taken away, or must not get it */
    async retryDelivery(userId: string, formId: string, id: string): Promise<void> {
      await writer.run('retryDelivery', { userId, formId, id, now: now() })
      onDue({ isByHand: true })
    },

    /**
     * Makes what was not delivered due now, to all receivers or to one. Returns how many they were: about 10,000 at most.
     *
     * @throws AppError `invalid` if the form does not have this receiver
     */
    async retryDeliveries(userId: string, formId: string, receiverId?: string): Promise<number> {
      const at = now()
      let total = 0
      for (let after: Retried['next'] = retryStart; after !== null && total < maxRetried; ) {
        const slice: Retried = await writer.run('retryDeliveries', {
          userId,
          formId,
          receiverId,
          now: at,
          after,
          maxRows: sliceRows,
        })
        total += slice.count
        after = slice.next
        onDue({ isByHand: true })
      }
      return total
    },
  }
}

/** At a million deliveries, the last page took 0.4 s of the main thread. This one takes a tenth. */
const maxOffset = 100_000

/** No one can keep the writer busy for long with one call. */
const maxRetried = 10_000
/** Deliveries that one write makes due: it takes some 5 ms. */
const sliceRows = 500

/** As many deliveries are looked at for the last ones of each receiver as if the form had so many receivers. */
const lookedAt = 20

/** The last deliveries that are shown of a receiver. */
const lastShown = 30
/** Of those that failed, and of those that wait. */
const maxUndelivered = 10

/** A receiver that fails, and the last delivery that failed. */
export interface Trouble {
  readonly receiver: ListedReceiver
  readonly last: Delivery | undefined
}

export interface ReceiverDeliveries {
  readonly receiver: ListedReceiver
  /** Newest first. */
  readonly lately: readonly Delivery[]
  /** The next one to be tried first. */
  readonly waiting: readonly Delivery[]
  readonly failed: readonly Delivery[]
}

/** Whether what is sent to a receiver has not arrived, and someone should look at it. */
export const isInTrouble = ({ failedCount, failingSince, disabledReason }: ListedReceiver): boolean =>
  failedCount > 0 || failingSince !== null || disabledReason !== null

interface Failures {
  /** Deliveries that failed after their last attempt. */
  readonly failed: number
  /** Receivers whose last attempt failed, or that Formbox switched off because of failures. */
  readonly failing: number
}

const noFailures: Failures = { failed: 0, failing: 0 }

type DeliveryRow = Omit<Delivery, 'lastAttempts'> & { readonly log: string }

const toDelivery = ({ log, ...rest }: DeliveryRow): Delivery => ({ ...rest, lastAttempts: attemptsOf(log) })

/** Reduces a secret URL to its host. */
const withoutUrl = (delivery: Delivery): Delivery => ({
  ...delivery,
  ...hiding(deliveryKinds[delivery.kind].to, delivery.target),
})

const withoutHidden = (receiver: ListedReceiver): ListedReceiver => ({
  ...receiver,
  ...hiding(receiver.kind, receiver.target),
})

const hiding = (kind: ListedReceiver['kind'], target: string) => ({
  target: receiverKinds[kind].hasSecretTarget ? new URL(target).origin : target,
})

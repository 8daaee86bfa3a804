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
    findWorst,
  } = deliveryReads(reader.db)
  const receiversOf = receiverReader(reader.db)

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
     * The last delivery that failed to the receiver for which most failed. It takes two look-ups: call it if something
     * failed.
     */
    findWorst(form: FormTo<'deliver'>): Delivery | undefined {
      const found = findWorst(form.number)
      return found && toDelivery(found)
    },

    /** Lists the addresses and webhooks of a form, in the order in which they were added. */
    listReceivers: ({ number }: FormTo<'webhooks'>): readonly ListedReceiver[] =>
      receiversOf(number).filter(({ kind }) => kind !== 'reply'),

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
    lastByReceiver: (form: FormTo<'deliver'>): ReadonlyMap<string, readonly Delivery[]> =>
      new Map(
        [...Map.groupBy(newest.all({ form: form.number, limit: recent }).map(toDelivery), (one) => one.receiverId)].map(
          ([receiverId, rows]) => [receiverId, rows.slice(0, perReceiver)],
        ),
      ),

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

/** Deliveries of a form that are looked at to find the last ones of each receiver. */
const recent = 200
const perReceiver = 10

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
const withoutUrl = (delivery: Delivery): Delivery =>
  receiverKinds[deliveryKinds[delivery.kind].to].hasSecretTarget
    ? { ...delivery, target: new URL(delivery.target).origin }
    : delivery

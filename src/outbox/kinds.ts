import { and, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { deliveries, isNot, literal, receivers } from '../storage/tables.ts'

type ReceiverKind = typeof receivers.$inferSelect.kind
export type DeliveryKind = typeof deliveries.$inferSelect.kind

interface OfReceiver {
  /** Whether what it gets is an email: one needs a mail server, and a webhook a request. */
  readonly isMail: boolean
  /** Whether its failures concern the owner. A visitor who mistypes an address is no alarm. */
  readonly isAlarming: boolean
  /** Whether Formbox switches it off when it refuses for good, or fails for five days (see `finisher`). */
  readonly endsByItself: boolean
  /** Whether its target is a secret of those who may change it: with the URL of a webhook, anyone may write to a channel. */
  readonly hasSecretTarget: boolean
  /** Whether all that failed can be tried again at once. Most replies fail because their address is wrong. */
  readonly isRetriedAsWhole: boolean
}

/** Where a form reports its submissions: everything that depends on the kind, but how it is chosen and reached. */
export const receiverKinds: Readonly<Record<ReceiverKind, OfReceiver>> = {
  webhook: { isMail: false, isAlarming: true, endsByItself: true, hasSecretTarget: true, isRetriedAsWhole: true },
  email: { isMail: true, isAlarming: true, endsByItself: false, hasSecretTarget: false, isRetriedAsWhole: true },
  reply: { isMail: true, isAlarming: false, endsByItself: false, hasSecretTarget: false, isRetriedAsWhole: false },
  confirm: { isMail: true, isAlarming: false, endsByItself: false, hasSecretTarget: false, isRetriedAsWhole: false },
}

interface OfDelivery {
  readonly to: ReceiverKind
  /** What its message is made of: one submission, several, or none. */
  readonly about: 'submission' | 'submissions' | 'nothing'
  /** For how many milliseconds it may wait before its first attempt. What is due still later is due now (see `isDue`). */
  readonly waitsUpTo: number
  /** Why no one may send it again by hand once it was delivered; null if anyone may. */
  readonly onlyOnce: string | null
  /** As what a retry counts for the limit of an hour (see mail-hours.ts): null if it does not. */
  readonly counts: 'mail' | 'digest' | null
  /** For the description of the API. */
  readonly description: string
}

/**
 * What is sent to a receiver. What makes the message of a kind is a line in upkeep/jobs/attempt-delivery.ts, its words on
 * pages one in site/delivery-item.ts.
 */
export const deliveryKinds: Readonly<Record<DeliveryKind, OfDelivery>> = {
  webhook: { to: 'webhook', about: 'submission', waitsUpTo: 0, onlyOnce: null, counts: null, description: '`webhook`' },
  email: { to: 'email', about: 'submission', waitsUpTo: 0, onlyOnce: null, counts: 'mail', description: '`email`' },
  digest: {
    to: 'email',
    about: 'submissions',
    waitsUpTo: 7 * dayMilliseconds,
    onlyOnce: null,
    counts: 'digest',
    description: '`digest`, an email about several submissions',
  },
  added: {
    to: 'email',
    about: 'nothing',
    waitsUpTo: 0,
    onlyOnce: 'must not be the email to a new address that was delivered: it gets one',
    counts: null,
    description: '`added`, an email to an address that was added to `notify`',
  },
  silence: {
    to: 'email',
    about: 'nothing',
    waitsUpTo: 0,
    onlyOnce: 'must not be the email about a silence that was delivered: an address gets one',
    counts: null,
    description: '`silence`, an email that nothing has come for the days in `quietDays`',
  },
  reply: {
    to: 'reply',
    about: 'submission',
    waitsUpTo: 0,
    onlyOnce: 'must not be a reply that was delivered: a visitor gets one',
    counts: null,
    description: '`reply`, the automatic reply to a visitor',
  },
  confirm: {
    to: 'confirm',
    about: 'submission',
    waitsUpTo: 0,
    onlyOnce: 'must not be an email with a link that was delivered: a visitor gets one',
    counts: null,
    description: '`confirm`, the email with the link that confirms an address',
  },
}

/** Whether a delivery is an email. */
export const isMailKind = (kind: DeliveryKind): boolean => receiverKinds[deliveryKinds[kind].to].isMail

const visitorKinds = (Object.keys(deliveryKinds) as DeliveryKind[]).filter(
  (kind) => !receiverKinds[deliveryKinds[kind].to].isAlarming,
)

/** These kinds for a statement that is a text. */
export const visitorKindsText = visitorKinds.map((kind) => `'${kind}'`).join(', ')

/** Whether a delivery is a mail to a visitor, in SQL: it is begun only if it is written down (see upkeep/jobs/attempt-reply.ts). */
export const isToVisitor = sql`${deliveries.kind} in (${sql.join(visitorKinds.map(literal), sql`, `)})`

/** `isAlarming` in SQL. */
export const isAlarming = and(
  ...Object.entries(receiverKinds).flatMap(([kind, of]) => (of.isAlarming ? [] : isNot(receivers.kind, kind))),
)

/** `waitsUpTo` in SQL. */
export const waitsUpTo = sql`case ${deliveries.kind} ${sql.join(
  Object.entries(deliveryKinds).map(([kind, of]) => sql`when ${literal(kind)} then ${literal(of.waitsUpTo)}`),
  sql` `,
)} end`

/** Whether a delivery is about one submission, or none, in SQL. */
export const isAboutOne = and(
  ...Object.entries(deliveryKinds).flatMap(([kind, { about }]) =>
    about === 'submissions' ? isNot(deliveries.kind, kind) : [],
  ),
)

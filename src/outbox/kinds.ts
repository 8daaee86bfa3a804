import { and, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { deliveries, isNot, literal, receivers } from '../storage/tables.ts'

type ReceiverKind = typeof receivers.$inferSelect.kind
export type DeliveryKind = typeof deliveries.$inferSelect.kind

interface OfReceiver {
  /** Whether what it gets is an email: one needs a mail server, and a webhook a request. */
  readonly isMail: boolean
  /** Whether it stands for all visitors, each of whom gets a mail once (see `isToVisitor` below). */
  readonly isToVisitor: boolean
  /** Whether its failures concern the owner, who tries all again at once. A visitor who mistypes an address is no alarm. */
  readonly isAlarming: boolean
  /** Whether Formbox switches it off when it refuses for good, or fails for five days (see `finisher`). */
  readonly endsByItself: boolean
  /** Whether its target is a secret of those who may change it: with the URL of a webhook, anyone may write to a channel. */
  readonly hasSecretTarget: boolean
  /** What it is called, if it stands for many and has no address. */
  readonly name?: string
}

const toVisitors = { isMail: true, isToVisitor: true, isAlarming: false, endsByItself: false, hasSecretTarget: false }

/** Where a form reports its submissions: everything that depends on the kind, but how it is chosen and reached. */
export const receiverKinds: Readonly<Record<ReceiverKind, OfReceiver>> = {
  webhook: { isMail: false, isToVisitor: false, isAlarming: true, endsByItself: true, hasSecretTarget: true },
  email: { isMail: true, isToVisitor: false, isAlarming: true, endsByItself: false, hasSecretTarget: false },
  reply: { ...toVisitors, name: 'Automatic replies' },
  confirm: { ...toVisitors, name: 'Emails to confirm addresses' },
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

/** Kinds for a statement that is a text. */
const inText = (kinds: readonly string[]): string => kinds.map((kind) => `'${kind}'`).join(', ')

/** The kinds of receivers that get mail. */
export const mailKindsText = inText(receivers.kind.enumValues.filter((kind) => receiverKinds[kind].isMail))

const kindsTo = (isMeant: (receiver: OfReceiver) => boolean): string =>
  inText(deliveries.kind.enumValues.filter((kind) => isMeant(receiverKinds[deliveryKinds[kind].to])))

/** The kinds of deliveries whose failures are no alarm. */
export const quietKindsText = kindsTo((receiver) => !receiver.isAlarming)

/** Whether a delivery is a mail to a visitor, in SQL: it is begun only if it is written down (see upkeep/jobs/attempt-reply.ts). */
export const isToVisitor = sql`${deliveries.kind} in (${sql.raw(kindsTo((receiver) => receiver.isToVisitor))})`

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

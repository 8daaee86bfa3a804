import { and, eq } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { type AppError, invalid } from '../base/errors.ts'
import { derivedId, timePrefix } from '../base/id.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { deliveries, givens, is, literal, param, params, receivers, users } from '../storage/tables.ts'
import { deliveryCounter } from './counts.ts'
import type { DigestTimes } from './digest-times.ts'
import { digestWrites } from './digests.ts'
import { addressReads, addressWrites } from './known-addresses.ts'
import { invitationMails } from './mailed-invitations.ts'
import { mailHost, maxReceivers, type Receiver, receiverLimit, receiverReader, receiverSwitch } from './receivers.ts'

interface Form {
  readonly number: number
  readonly id: string
  readonly userId: string | null
}

/**
 * Mails that one user may cause within a day by adding addresses to forms and by inviting people to them. An invitation counts
 * for the owner of the form as well, who could otherwise make managers of any number of helpers. An address gets a mail that
 * it was added once a day, no matter who adds it, and the invitations below. So no one can use this server to send mail to
 * many people who never asked for it: an address that cannot get this mail is not added, and gets no submissions either.
 */
const maxAddedADay = 50

/** Invitations that one person gets within a day: one for the forms of each owner, so that no owner uses up those of others. */
const maxInvitationsADay = 3

/** An address of the setting `notify`, and how it gets its mails. */
export interface Addressee extends Pick<Receiver, 'only' | 'digest'> {
  readonly address: string
}

/** Changes the e-mail addresses of a form, which are those of its setting `notify`. */
export const notifyWrites = oncePerConnection((db: Db) => {
  const { findEarlier, findOther, ownerOf, insert, insertNotice, hasBegun, removeAdded, restore } = statements(db)
  const countDeliveries = deliveryCounter(db)
  const { isStopped, toldAt, toldOf } = addressReads(db)
  const { markTold, unmarkTold, stopAddress, allowAddress, leave, rejoin } = addressWrites(db)
  const invitations = invitationMails(db)
  const { remove, recount } = receiverSwitch(db)
  const receiversOf = receiverReader(db)
  const mayAdd = receiverLimit(db)
  const { postpone } = digestWrites(db)

  /** When a user caused a mail to a new address, or to someone invited: oldest first. */
  const causedBy = (userId: string | null, range: ReturnType<typeof withinADayOf>): number[] =>
    [...toldOf(userId, range), ...invitations.invitationsOf(userId, range)].toSorted((one, other) => one - other)

  /** Whether a person got an invitation to a form of this owner, or as many as a person gets in all. */
  const isInvited = (address: string, ownerId: string | null, range: ReturnType<typeof withinADayOf>): boolean => {
    const inviters = invitations.invitersOf(address, range)
    return inviters.length >= maxInvitationsADay || inviters.includes(ownerId)
  }

  /** Adds an address, or changes one that the form has had. */
  const add = (
    form: Form,
    { address: target, ...ways }: Addressee,
  ): { readonly number: number; readonly id: string } => {
    const id = derivedId(form.id, target.toLowerCase())
    const earlier = findEarlier.get({ form: form.number, address: target.toLowerCase() })
    if (!earlier && !mayAdd(form.number)) throw tooManyReceivers()
    if (earlier) restore.run({ number: earlier.number, target, ...ways })
    return { number: earlier?.number ?? insert.get({ form: form.number, id, target, ...ways }).number, id }
  }

  /** Adds a mail that is about no submission. Returns whether there is none of this kind and time yet. */
  const addNotice = (
    { number, id }: ReturnType<typeof add>,
    notice: { readonly form: number; readonly kind: 'added' | 'silence'; readonly count: number | null },
    now: number,
  ): boolean => {
    // The last two of the first twelve characters are the order within the millisecond.
    const noticeId = derivedId(`${timePrefix(now)}00`, id, notice.kind)
    const added = changesOf(insertNotice.run({ ...notice, id: noticeId, receiver: number }))
    countDeliveries(number, null, 'pending', added)
    return added > 0
  }

  /** Adds the mail to a receiver that it was added to the form. */
  const addMail = (form: Pick<Form, 'number'>, receiver: ReturnType<typeof add>, now: number): void =>
    void addNotice(receiver, { form: form.number, kind: 'added', count: null }, now)

  /**
   * Takes this mail back, unless an attempt to send any mail has begun. Another form that has the address relied on it, and
   * gets the mail instead.
   */
  const removeMail = (number: number, target: string, now: number): void => {
    if (hasBegun.get({ number }) || changesOf(removeAdded.run({ number })) === 0) return
    countDeliveries(number, 'pending', null)
    const other = findOther.get({ number, address: target.toLowerCase() })
    if (!other) unmarkTold(target)
    else if (!isStopped(target)) addMail({ number: other.form }, other, now)
  }

  /** Returns those of new addresses that are to get this mail, in lower case. */
  const toBeMailed = ({ userId }: Form, added: readonly string[], now: number): string[] => {
    const own = ownerOf.get({ userId })?.email
    const addresses = added.map((address) => address.toLowerCase())
    const stopped = addresses.find(isStopped)
    if (stopped) throw wantsNoMail(stopped)
    const mailed = addresses.filter((address) => address !== own && !isWithinADay(toldAt(address), now))
    const lately = causedBy(userId, withinADayOf(now))
    const tooMany = lately.length + mailed.length - maxAddedADay
    if (mailed.length > 0 && tooMany > 0) throw tooManyAdded((lately[tooMany - 1] ?? now) + dayMilliseconds)
    return mailed
  }

  return {
    /**
     * Makes them those of the setting. A new address that is not the owner's gets a mail.
     *
     * @param now Unix milliseconds
     * @throws AppError `invalid` if an address wants no mail, or if there would be too many in one way or the other
     */
    setAddresses(form: Form, addressees: readonly Addressee[], now: number): void {
      const before = receiversOf(form.number).filter(({ kind }) => kind === 'email')
      const isIn = (texts: readonly string[], text: string): boolean =>
        texts.some((one) => one.toLowerCase() === text.toLowerCase())
      const addresses = addressees.map(({ address }) => address)
      const present = before.map(({ target }) => target)
      for (const { number, target } of before.filter(({ target }) => !isIn(addresses, target))) {
        removeMail(number, target, now)
        remove(number, now)
      }
      const added = addresses.filter((address) => !isIn(present, address))
      const mailed = toBeMailed(form, added, now)
      for (const address of added) rejoin(form.id, address)
      const isAsBefore = (addressee: Addressee): boolean =>
        before.some(({ target: address, only, digest }) => Bun.deepEquals({ address, only, digest }, addressee))
      for (const addressee of addressees.filter((one) => !isAsBefore(one))) {
        const receiver = add(form, addressee)
        const address = addressee.address.toLowerCase()
        if (!mailed.includes(address)) continue
        addMail(form, receiver, now)
        markTold(address, now, form.userId)
      }
      recount(form.number)
    },

    /** Adds those of a form's original. They get mail of its owner's forms already: so they get none that they were added. */
    copyAddresses(form: Form, addressees: readonly Addressee[]): void {
      for (const addressee of addressees) add(form, addressee)
      recount(form.number)
    },

    /** Makes the digests of a day or a week that wait for a form due at another time. */
    postponeDigests(form: Form, now: number, dueAt: DigestTimes): void {
      for (const { digest, digestId } of receiversOf(form.number))
        if (digest !== null && digestId !== null) postpone(form.number, digestId, now, dueAt[digest])
    },

    /**
     * Adds mails to the addresses of a form in which nothing has come for so many days. Returns how many.
     *
     * @param now Unix milliseconds
     */
    tellOfSilence(form: number, days: number, now: number): number {
      const addressees = receiversOf(form).filter(({ kind, isEnabled }) => kind === 'email' && isEnabled)
      return addressees.filter((one) => addNotice(one, { form, kind: 'silence', count: days }, now)).length
    },

    /**
     * Counts a mail that invites someone to a form, unless it would be one too many. Mails that an address was added to a form
     * count apart: otherwise one user could keep the invitations of all others from an address.
     *
     * @param invited.address in ASCII
     * @returns whether it may be sent
     */
    countInvitation(
      { userId: ownerId }: Form,
      { id, userId, address }: { readonly id: string; readonly userId: string; readonly address: string },
      now: number,
    ): boolean {
      const range = withinADayOf(now)
      if (isStopped(address) || isInvited(address, ownerId, range)) return false
      if ([userId, ownerId].some((user) => causedBy(user, range).length >= maxAddedADay)) return false
      invitations.add({ id, address, userId, ownerId, at: now })
      return true
    },

    /** Takes that back, of a mail that no server took. */
    uncountInvitation: invitations.remove,

    stopAddress,
    allowAddress,
    leave,
  }
})

/** Also by a clock that was set back since. */
const withinADayOf = (now: number) => ({ from: now - dayMilliseconds, to: now + dayMilliseconds })
const isWithinADay = (at: number, now: number): boolean => Math.abs(now - at) < dayMilliseconds

const refused = (message: string): AppError => invalid({ field: 'notify', message, path: '/notify' })

const wantsNoMail = (address: string): AppError =>
  refused(`must not have ${address}, whose recipient wants no email from this server`)

/** @param at when the next one can be added */
const tooManyAdded = (at: number): AppError => {
  const minute = new Date(Math.ceil(at / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')
  return refused(
    `must not have new addresses before ${minute} UTC: a user can add ${maxAddedADay} within 24 hours, each of which gets an email about it`,
  )
}

const tooManyReceivers = (): AppError =>
  refused(
    `must be addresses that the form has had: it has had ${maxReceivers} addresses and webhooks, whose deliveries are kept`,
  )

const findEarlier = statement(
  `SELECT number FROM receivers
  WHERE lower(target) = $address AND form = $form AND kind = 'email'
  ORDER BY number LIMIT 1`,
  { number: receivers.number },
)

/** Finds the last one that was added to another form. */
const findOther = statement(
  `SELECT receivers.form, receivers.number, receivers.id
  FROM receivers JOIN forms ON forms.number = receivers.form AND deleted_at IS NULL
  WHERE lower(target) = $address AND receivers.number <> $number AND removed_at IS NULL AND kind = 'email'
  ORDER BY receivers.form DESC LIMIT 1`,
  { form: receivers.form, number: receivers.number, id: receivers.id },
)

/** Whether a mail to it was begun, and may have arrived. */
const hasBegun = statement(
  `SELECT number FROM receivers WHERE number = $number AND (
    delivered_count + failed_count > 0
    OR EXISTS (SELECT 1 FROM deliveries WHERE receiver = $number AND state = 'pending' AND attempts > 0))`,
  { number: receivers.number },
)

const statements = (db: Db) => {
  // An account whose address is not proved may have anyone's.
  const ownerOf = db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, param('userId')), users.isProved))
    .prepare()
  const insert = db
    .insert(receivers)
    .values({
      ...params('form', 'id', 'target', 'only', 'digest'),
      kind: literal('email'),
      host: literal(mailHost),
    })
    .returning({ number: receivers.number })
    .prepare()
  const insertNotice = db
    .insert(deliveries)
    .values(params('form', 'id', 'receiver', 'kind', 'count'))
    .onConflictDoNothing()
    .prepare()
  const waiting = and(eq(deliveries.receiver, param('number')), is(deliveries.state, 'pending'))
  const removeAdded = db
    .delete(deliveries)
    .where(and(waiting, is(deliveries.kind, 'added')))
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const restore = db
    .update(receivers)
    .set({
      ...givens('target', 'only', 'digest'),
      isEnabled: literal(1),
      removedAt: literal(null),
    })
    .where(byNumber)
    .prepare()
  return {
    findEarlier: findEarlier(db),
    findOther: findOther(db),
    hasBegun: hasBegun(db),
    ownerOf,
    insert,
    insertNotice,
    removeAdded,
    restore,
  }
}

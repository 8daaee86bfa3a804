import { and, asc, desc, eq, exists, gt, gte, inArray, isNull, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { changesOf, type Db } from '../db/open.ts'
import { addresses, deliveries, forms, inLowerCase, param, receivers, users } from '../db/tables.ts'
import { dayMilliseconds } from '../durations.ts'
import { type AppError, invalid } from '../errors.ts'
import { derivedId, timePrefix } from '../id.ts'
import { digestWrites } from './digests.ts'
import { mailHost, maxReceivers, type Receiver, receiverLimit, receiverReader, receiverSwitch } from './receivers.ts'

interface Form {
  readonly number: number
  readonly id: string
  readonly userId: string | null
}

/**
 * Mails that one user may cause within a day by adding addresses to forms. An address gets such a mail once a day,
 * whoever adds it. So nobody can use this server to send mail to many people who never asked for it: an address that cannot
 * get this mail is not added, and gets no submissions either.
 */
const maxAddedADay = 50

/** An address of the setting `notify`, and how it gets its mails. */
export interface Addressee extends Pick<Receiver, 'only' | 'digest'> {
  readonly address: string
}

/** Changes the e-mail addresses of a form, which are those of its setting `notify`. */
export const addressWrites = (db: Db) => {
  const { findEarlier, findOther, ownerOf, insert, insertAdded, hasBegun, removeAdded, countPending, restore } =
    statements(db)
  const { find, mailedBy, markMailed, unmarkMailed, markStopped, unmarkStopped } = addressStatements(db)
  const { remove, recount } = receiverSwitch(db)
  const receiversOf = receiverReader(db)
  const mayAdd = receiverLimit(db)
  const { postpone } = digestWrites(db)

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

  /** Adds the mail to a receiver that it was added to the form. */
  const addMail = (form: Pick<Form, 'number'>, { number, id }: ReturnType<typeof add>, now: number): void => {
    // The last two of the first twelve characters are the order within the millisecond.
    insertAdded.run({ form: form.number, id: derivedId(`${timePrefix(now)}00`, id, 'added'), receiver: number })
    countPending.run({ number, by: 1 })
  }

  /**
   * Takes this mail back, unless an attempt to send any mail has begun. Another form that has the address relied on it, and
   * gets the mail instead.
   */
  const removeMail = (number: number, target: string, now: number): void => {
    if (hasBegun.get({ number }) || changesOf(removeAdded.run({ number })) === 0) return
    countPending.run({ number, by: -1 })
    const address = target.toLowerCase()
    const other = findOther.get({ number, address })
    if (!other) unmarkMailed.run({ address })
    else if ((find.get({ address })?.stoppedAt ?? null) === null) addMail({ number: other.form }, other, now)
  }

  /** Returns those of new addresses that are to get this mail, in lower case. */
  const toBeMailed = ({ userId }: Form, added: readonly string[], now: number): string[] => {
    const own = ownerOf.get({ userId })?.email
    const known = added
      .map((address) => address.toLowerCase())
      .map((address) => ({ address, ...find.get({ address }) }))
    const stopped = known.find(({ stoppedAt = null }) => stoppedAt !== null)
    if (stopped) throw isStopped(stopped.address)
    const mailed = known.filter(({ address, toldAt = 0 }) => address !== own && !isWithinADay(toldAt, now))
    const lately = mailedBy.all({ userId, from: now - dayMilliseconds, to: now + dayMilliseconds })
    const tooMany = lately.length + mailed.length - maxAddedADay
    if (mailed.length > 0 && tooMany > 0) throw tooManyAdded((lately[tooMany - 1]?.toldAt ?? now) + dayMilliseconds)
    return mailed.map(({ address }) => address)
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
      const mailed = toBeMailed(
        form,
        addresses.filter((address) => !isIn(present, address)),
        now,
      )
      const isAsBefore = (addressee: Addressee): boolean =>
        before.some(({ target: address, only, digest }) => Bun.deepEquals({ address, only, digest }, addressee))
      for (const addressee of addressees.filter((one) => !isAsBefore(one))) {
        const receiver = add(form, addressee)
        const address = addressee.address.toLowerCase()
        if (!mailed.includes(address)) continue
        addMail(form, receiver, now)
        markMailed.run({ address, now, userId: form.userId })
      }
      recount(form.number)
    },

    /** Adds those of a form's original. They get mail of its owner's forms already: so they get none that they were added. */
    copyAddresses(form: Form, addressees: readonly Addressee[]): void {
      for (const addressee of addressees) add(form, addressee)
      recount(form.number)
    },

    /** Makes the digests of the day that wait for a form due at another time. */
    postponeDigests(form: Form, now: number, dueAt: number): void {
      for (const { digest, digestId } of receiversOf(form.number))
        if (digest === 'day' && digestId !== null) postpone(form.number, digestId, now, dueAt)
    },

    /** Lets nobody add an address. @param address in lower case */
    stopAddress: (address: string, now: number): void => void markStopped.run({ address, now }),

    /** Takes that back. */
    allowAddress: (address: string): void => void unmarkStopped.run({ address }),
  }
}

/** Also by a clock that was set back since. */
const isWithinADay = (at: number, now: number): boolean => Math.abs(now - at) < dayMilliseconds

/** Removes some of the addresses whose mail was more than a day ago. Returns how many these are. */
export const oldAddressRemoval = (db: Db): ((now: number, maxRows: number) => number) => {
  const remover = (isOver: SQL) => {
    const ended = db
      .select({ address: addresses.address })
      .from(addresses)
      .where(and(isNull(addresses.stoppedAt), isOver))
      .orderBy(asc(addresses.toldAt), asc(addresses.address))
      .limit(param('limit'))
    return db.delete(addresses).where(inArray(addresses.address, ended)).prepare()
  }
  const removeEarlier = remover(lte(addresses.toldAt, param('until')))
  // The clock was far ahead.
  const removeLater = remover(gte(addresses.toldAt, param('from')))
  return (now, limit) =>
    changesOf(removeEarlier.run({ until: now - dayMilliseconds, limit })) +
    changesOf(removeLater.run({ from: now + dayMilliseconds, limit }))
}

const refused = (message: string): AppError => invalid({ field: 'notify', message, path: '/notify' })

const isStopped = (address: string): AppError =>
  refused(`must not have ${address}, whose reader wants no mail from this server`)

/** @param at when the next one can be added */
const tooManyAdded = (at: number): AppError => {
  const minute = new Date(Math.ceil(at / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')
  return refused(
    `must not have new addresses before ${minute} UTC: a user can add ${maxAddedADay} within 24 hours, each of which is told so by e-mail`,
  )
}

const tooManyReceivers = (): AppError =>
  refused(
    `must be addresses that the form has had: it has told ${maxReceivers} addresses and webhooks, whose deliveries are kept`,
  )

const statements = (db: Db) => {
  const findEarlier = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(
      and(
        eq(inLowerCase(receivers.target), param('address')),
        eq(receivers.form, param('form')),
        sql`${receivers.kind} = 'email'`,
      ),
    )
    .orderBy(asc(receivers.number))
    .limit(1)
    .prepare()
  /** The last one that was added to another form. */
  const findOther = db
    .select({ form: receivers.form, number: receivers.number, id: receivers.id })
    .from(receivers)
    .innerJoin(forms, and(eq(forms.number, receivers.form), isNull(forms.deletedAt)))
    .where(
      and(
        eq(inLowerCase(receivers.target), param('address')),
        ne(receivers.number, param('number')),
        isNull(receivers.removedAt),
        sql`${receivers.kind} = 'email'`,
      ),
    )
    .orderBy(desc(receivers.form))
    .limit(1)
    .prepare()
  const ownerOf = db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, param('userId')))
    .prepare()
  const insert = db
    .insert(receivers)
    .values({
      form: param('form'),
      id: param('id'),
      kind: sql`'email'`,
      target: param('target'),
      only: param('only'),
      digest: param('digest'),
      host: sql`${sql.raw(`'${mailHost}'`)}`,
    })
    .returning({ number: receivers.number })
    .prepare()
  const insertAdded = db
    .insert(deliveries)
    .values({ form: param('form'), id: param('id'), receiver: param('receiver'), kind: sql`'added'` })
    .prepare()
  const waiting = and(eq(deliveries.receiver, param('number')), sql`${deliveries.state} = 'pending'`)
  const removeAdded = db
    .delete(deliveries)
    .where(and(waiting, sql`${deliveries.kind} = 'added'`))
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const begun = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(waiting, gt(deliveries.attempts, sql`0`)))
  const hasBegun = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(and(byNumber, or(gt(sql`${receivers.deliveredCount} + ${receivers.failedCount}`, sql`0`), exists(begun))))
    .prepare()
  const countPending = db
    .update(receivers)
    .set({ pendingCount: sql`${receivers.pendingCount} + ${param('by')}` })
    .where(byNumber)
    .prepare()
  const restore = db
    .update(receivers)
    .set({
      target: sql`${param('target')}`,
      only: sql`${param('only')}`,
      digest: sql`${param('digest')}`,
      isEnabled: sql`1`,
      removedAt: sql`null`,
    })
    .where(byNumber)
    .prepare()
  return { findEarlier, findOther, ownerOf, insert, insertAdded, hasBegun, removeAdded, countPending, restore }
}

const addressStatements = (db: Db) => {
  const byAddress = eq(addresses.address, param('address'))
  const find = db
    .select({ toldAt: addresses.toldAt, stoppedAt: addresses.stoppedAt })
    .from(addresses)
    .where(byAddress)
    .prepare()
  const mailedBy = db
    .select({ toldAt: addresses.toldAt })
    .from(addresses)
    .where(
      and(
        eq(addresses.toldBy, param('userId')),
        gt(addresses.toldAt, param('from')),
        lt(addresses.toldAt, param('to')),
      ),
    )
    .orderBy(asc(addresses.toldAt))
    .prepare()
  const markMailed = db
    .insert(addresses)
    .values({ address: param('address'), toldAt: param('now'), toldBy: param('userId') })
    .onConflictDoUpdate({
      target: addresses.address,
      set: { toldAt: sql`${param('now')}`, toldBy: sql`${param('userId')}` },
    })
    .prepare()
  const unmarkMailed = db.update(addresses).set({ toldAt: sql`0`, toldBy: sql`null` }).where(byAddress).prepare()
  const markStopped = db
    .insert(addresses)
    .values({ address: param('address'), toldAt: sql`0`, stoppedAt: param('now') })
    .onConflictDoUpdate({ target: addresses.address, set: { stoppedAt: sql`${param('now')}` } })
    .prepare()
  const unmarkStopped = db.update(addresses).set({ stoppedAt: sql`null` }).where(byAddress).prepare()
  return { find, mailedBy, markMailed, unmarkMailed, markStopped, unmarkStopped }
}

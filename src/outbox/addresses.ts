import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import { changesOf, type Db } from '../db/open.ts'
import { addresses, deliveries, inLowerCase, param, receivers, users } from '../db/tables.ts'
import { dayMilliseconds } from '../durations.ts'
import { type AppError, invalid } from '../errors.ts'
import { derivedId, timePrefix } from '../id.ts'
import { mailHost, maxReceivers, receiverReader, receiverRoom, receiverSwitch } from './receivers.ts'

interface Form {
  readonly number: number
  readonly id: string
  readonly userId: string | null
}

/**
 * Addresses to which one user has it told, within a day, that they were added to a form. An address is told so once a day,
 * whoever adds it. So nobody can use this server to send mail to many people who never asked for it: who can't be told is
 * not added, and gets no submissions either.
 */
const maxToldADay = 50

/** The e-mail addresses that a form tells, which are those of its setting `notify`. */
export const addressWrites = (db: Db) => {
  const { findEarlier, ownerOf, insert, insertAdded, removeAdded, countPending, restore } = statements(db)
  const { find, toldBy, markTold, unmarkTold, markStopped, unmarkStopped } = addressStatements(db)
  const { remove, recount } = receiverSwitch(db)
  const receiversOf = receiverReader(db)
  const hasRoom = receiverRoom(db)

  const add = (form: Form, target: string): { readonly number: number; readonly id: string } => {
    const id = derivedId(form.id, target.toLowerCase())
    const earlier = findEarlier.get({ form: form.number, address: target.toLowerCase() })
    if (!earlier && !hasRoom(form.number)) throw noRoom()
    if (earlier) restore.run({ number: earlier.number, target })
    return { number: earlier?.number ?? insert.get({ form: form.number, id, target }).number, id }
  }

  /** Tells a receiver that it was added to the form. */
  const tell = (form: Form, { number, id }: ReturnType<typeof add>, now: number): void => {
    // The last two of the first twelve characters are the order within the millisecond.
    insertAdded.run({ form: form.number, id: derivedId(`${timePrefix(now)}00`, id, 'added'), receiver: number })
    countPending.run({ number, by: 1 })
  }

  /** Takes the mail back that an address was added, if nobody has begun to send it. */
  const untell = (number: number, target: string): void => {
    if (changesOf(removeAdded.run({ number })) === 0) return
    countPending.run({ number, by: -1 })
    unmarkTold.run({ address: target.toLowerCase() })
  }

  /** Those of new addresses that are to be told, in lower case. */
  const untoldOf = ({ userId }: Form, added: readonly string[], now: number): string[] => {
    const own = ownerOf.get({ userId })?.email
    const known = added
      .map((address) => address.toLowerCase())
      .map((address) => ({ address, ...find.get({ address }) }))
    const stopped = known.find(({ stoppedAt = null }) => stoppedAt !== null)
    if (stopped) throw isStopped(stopped.address)
    const untold = known.filter(({ address, toldAt = 0 }) => address !== own && !isWithinADay(toldAt, now))
    const lately = toldBy.all({ userId, from: now - dayMilliseconds, to: now + dayMilliseconds })
    const tooMany = lately.length + untold.length - maxToldADay
    if (untold.length > 0 && tooMany > 0) throw tooManyTold((lately[tooMany - 1]?.toldAt ?? now) + dayMilliseconds)
    return untold.map(({ address }) => address)
  }

  return {
    /**
     * Keeps them in step with the setting. A new address that is not the owner's is told.
     *
     * @param now Unix milliseconds
     * @throws AppError `invalid` if an address wants no mail, or if there would be too many in one way or the other
     */
    keepAddresses(form: Form, addresses: readonly string[], now: number): void {
      const before = receiversOf(form.number).filter(({ kind }) => kind === 'email')
      const isIn = (texts: readonly string[], text: string): boolean =>
        texts.some((one) => one.toLowerCase() === text.toLowerCase())
      const told = before.map(({ target }) => target)
      for (const { number, target } of before.filter(({ target }) => !isIn(addresses, target))) {
        untell(number, target)
        remove(number, now)
      }
      const untold = untoldOf(
        form,
        addresses.filter((address) => !isIn(told, address)),
        now,
      )
      for (const address of addresses.filter((one) => !told.includes(one))) {
        const receiver = add(form, address)
        if (!untold.includes(address.toLowerCase())) continue
        tell(form, receiver, now)
        markTold.run({ address: address.toLowerCase(), now, userId: form.userId })
      }
      recount(form.number)
    },

    /** Those of a form's original, for whose forms they get mail already: so they are not told. */
    copyAddresses(form: Form, addresses: readonly string[]): void {
      for (const address of addresses) add(form, address)
      recount(form.number)
    },

    /** Lets nobody add an address. @param address in lower case */
    stopAddress: (address: string, now: number): void => void markStopped.run({ address, now }),

    /** Takes that back. */
    allowAddress: (address: string): void => void unmarkStopped.run({ address }),
  }
}

/** Also by a clock that was set back since. */
const isWithinADay = (at: number, now: number): boolean => Math.abs(now - at) < dayMilliseconds

/** Removes some of the addresses that were told more than a day ago. Returns how many these are. */
export const toldRemoval = (db: Db): ((now: number, maxRows: number) => number) => {
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
const tooManyTold = (at: number): AppError => {
  const minute = new Date(Math.ceil(at / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')
  return refused(
    `must not have new addresses before ${minute} UTC: a user can add ${maxToldADay} within 24 hours, each of which is told so by e-mail`,
  )
}

const noRoom = (): AppError =>
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
      host: sql`${sql.raw(`'${mailHost}'`)}`,
    })
    .returning({ number: receivers.number })
    .prepare()
  const insertAdded = db
    .insert(deliveries)
    .values({ form: param('form'), id: param('id'), receiver: param('receiver'), kind: sql`'added'` })
    .prepare()
  const removeAdded = db
    .delete(deliveries)
    .where(
      and(
        eq(deliveries.receiver, param('number')),
        sql`${deliveries.state} = 'pending'`,
        sql`${deliveries.kind} = 'added'`,
        eq(deliveries.attempts, sql`0`),
      ),
    )
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const countPending = db
    .update(receivers)
    .set({ pendingCount: sql`${receivers.pendingCount} + ${param('by')}` })
    .where(byNumber)
    .prepare()
  const restore = db
    .update(receivers)
    .set({ target: sql`${param('target')}`, isEnabled: sql`1`, removedAt: sql`null` })
    .where(byNumber)
    .prepare()
  return { findEarlier, ownerOf, insert, insertAdded, removeAdded, countPending, restore }
}

const addressStatements = (db: Db) => {
  const byAddress = eq(addresses.address, param('address'))
  const find = db
    .select({ toldAt: addresses.toldAt, stoppedAt: addresses.stoppedAt })
    .from(addresses)
    .where(byAddress)
    .prepare()
  const toldBy = db
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
  const markTold = db
    .insert(addresses)
    .values({ address: param('address'), toldAt: param('now'), toldBy: param('userId') })
    .onConflictDoUpdate({
      target: addresses.address,
      set: { toldAt: sql`${param('now')}`, toldBy: sql`${param('userId')}` },
    })
    .prepare()
  const unmarkTold = db.update(addresses).set({ toldAt: sql`0`, toldBy: sql`null` }).where(byAddress).prepare()
  const markStopped = db
    .insert(addresses)
    .values({ address: param('address'), toldAt: sql`0`, stoppedAt: param('now') })
    .onConflictDoUpdate({ target: addresses.address, set: { stoppedAt: sql`${param('now')}` } })
    .prepare()
  const unmarkStopped = db.update(addresses).set({ stoppedAt: sql`null` }).where(byAddress).prepare()
  return { find, toldBy, markTold, unmarkTold, markStopped, unmarkStopped }
}

import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, type SQL } from 'drizzle-orm'
import { dayMilliseconds } from '../base/durations.ts'
import { sha256 } from '../base/hash.ts'
import { toPerson } from '../base/mail-address.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { addresses, given, literal, param } from '../storage/tables.ts'

/** Names an address in the table. @param address in any case, in ASCII */
const hashOf = (address: string): string => sha256(address.toLowerCase(), 'hex')

/** Hashes the person's address without its tag: a tag must not pass limits, nor undo that someone wants no mail. */
export const hashOfPerson = (address: string): string => hashOf(toPerson(address))

/** Names the reader of a form's mails, in just this spelling. */
const hashOfReader = (formId: string, address: string): string => hashOf(`${formId} ${address}`)

const byHash = eq(addresses.hash, param('hash'))

/** Reads what is known of addresses. */
export const addressReads = oncePerConnection((db: Db) => {
  const columns = { toldAt: addresses.toldAt, stoppedAt: addresses.stoppedAt, refusedAt: addresses.refusedAt }
  const find = db.select(columns).from(addresses).where(byHash).prepare()
  const { toldAt } = addresses
  const toldBy = db
    .select({ toldAt })
    .from(addresses)
    .where(and(eq(addresses.toldBy, param('userId')), gt(toldAt, param('from')), lt(toldAt, param('to'))))
    .prepare()

  return {
    /** When it got a mail that it was added to a form, in Unix milliseconds; 0 for long ago or never. */
    toldAt: (address: string): number => find.get({ hash: hashOf(address) })?.toldAt ?? 0,

    /** The times in between of such mails about forms of a user. */
    toldOf: (userId: string | null, range: { readonly from: number; readonly to: number }): number[] =>
      toldBy.all({ userId, ...range }).map((one) => one.toldAt),

    /** Whether its recipient wants no mail of this server. */
    isStopped: (address: string): boolean => (find.get({ hash: hashOfPerson(address) })?.stoppedAt ?? null) !== null,

    /** Whether its recipient wants no mail of this form, and no one has added it by hand since. */
    hasLeft: (formId: string, address: string): boolean =>
      (find.get({ hash: hashOfReader(formId, address) })?.stoppedAt ?? null) !== null,

    /** Whether a mail server has refused a reply to just this address lately. */
    isRefused: (address: string): boolean => (find.get({ hash: hashOf(address) })?.refusedAt ?? null) !== null,
  }
})

export const addressWrites = (db: Db) => {
  const insert = (column: 'toldAt' | 'stoppedAt' | 'refusedAt', more: { toldBy?: SQL } = {}) => {
    const set = { [column]: given('now'), ...more }
    return db
      .insert(addresses)
      .values({ hash: param('hash'), toldAt: literal(0), ...set })
      .onConflictDoUpdate({ target: addresses.hash, set })
      .prepare()
  }
  const told = insert('toldAt', { toldBy: given('userId') })
  const stopped = insert('stoppedAt')
  const refused = insert('refusedAt')
  const untold = db
    .update(addresses)
    .set({ toldAt: literal(0), toldBy: literal(null) })
    .where(byHash)
    .prepare()
  const allowed = db
    .update(addresses)
    .set({ stoppedAt: literal(null) })
    .where(byHash)
    .prepare()
  const taken = db
    .update(addresses)
    .set({ refusedAt: literal(null) })
    .where(and(byHash, isNotNull(addresses.refusedAt)))
    .prepare()

  return {
    /** It gets a mail that it was added to a form of this user. */
    markTold: (address: string, now: number, userId: string | null): void =>
      void told.run({ hash: hashOf(address), now, userId }),

    /** Takes that back. */
    unmarkTold: (address: string): void => void untold.run({ hash: hashOf(address) }),

    /** Lets no one add an address, nor send it a reply. */
    stopAddress: (address: string, now: number): void => void stopped.run({ hash: hashOfPerson(address), now }),

    /** Takes that back. */
    allowAddress: (address: string): void => void allowed.run({ hash: hashOfPerson(address) }),

    /** Lets no file add an address to a form. */
    leave: (formId: string, address: string, now: number): void =>
      void stopped.run({ hash: hashOfReader(formId, address), now }),

    /** Takes that back. */
    rejoin: (formId: string, address: string): void => void allowed.run({ hash: hashOfReader(formId, address) }),

    /**
     * A mail server has refused it for good. That counts for this spelling alone: a stranger who makes up tags that
     * someone's server refuses must not keep replies from the address itself.
     */
    markRefused: (address: string, now: number): void => void refused.run({ hash: hashOf(address), now }),

    /** A mail server has taken it after all. */
    unmarkRefused: (address: string): void => void taken.run({ hash: hashOf(address) }),
  }
}

/** After this long, an address that was refused gets replies again. */
const refusedMilliseconds = 90 * dayMilliseconds

/** Removes some of the addresses of which nothing needs to be known any longer. Returns how many rows it changed. */
export const oldAddressRemoval = (db: Db): ((now: number, maxRows: number) => number) => {
  const isForgettable = and(isNull(addresses.stoppedAt), isNull(addresses.refusedAt))
  const remover = (isOver: SQL) => {
    const ended = db
      .select({ hash: addresses.hash })
      .from(addresses)
      .where(and(isForgettable, isOver))
      .orderBy(asc(addresses.toldAt), asc(addresses.hash))
      .limit(param('limit'))
    return db.delete(addresses).where(inArray(addresses.hash, ended)).prepare()
  }
  const removeEarlier = remover(lte(addresses.toldAt, param('until')))
  // The clock was far ahead.
  const removeLater = remover(gte(addresses.toldAt, param('from')))
  const endedRefusals = db
    .select({ hash: addresses.hash })
    .from(addresses)
    .where(lte(addresses.refusedAt, param('until')))
    .orderBy(asc(addresses.refusedAt), asc(addresses.hash))
    .limit(param('limit'))
  const endRefusals = db
    .update(addresses)
    .set({ refusedAt: literal(null) })
    .where(inArray(addresses.hash, endedRefusals))
    .prepare()
  return (now, limit) =>
    changesOf(endRefusals.run({ until: now - refusedMilliseconds, limit })) +
    changesOf(removeEarlier.run({ until: now - dayMilliseconds, limit })) +
    changesOf(removeLater.run({ from: now + dayMilliseconds, limit }))
}

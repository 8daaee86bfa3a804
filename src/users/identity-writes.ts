import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { identities, sessions, users } from '../db/tables.ts'
import { accountChanged, invalid } from '../errors.ts'
import { addProvedUser } from './proved-user.ts'
import { userReads } from './user-reads.ts'

/** A person at a provider. Addresses change hands, these two do not. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** Somebody who signs in for the first time. */
export interface NewUserOfProvider extends Identity {
  readonly id: string
  /** In lower case. */
  readonly email: string
  /** One that no password fits. */
  readonly passwordHash: string
  readonly mayOwnForms: boolean
}

interface Connection extends Identity {
  readonly userId: string
  /** The hash that the password was checked against. */
  readonly passwordHash: string
  /** The hash of the session of who connects. */
  readonly session: string
}

export type IdentityWrites = ReturnType<typeof identityWrites>

export const identityWrites = (db: Db) => ({
  /**
   * Hands an account that was made for an address to the first person who comes with it. Never one with a password, which
   * somebody else may know, and never a second time: the address may have changed hands.
   *
   * @throws AppError `invalid` for any other account
   */
  claimUser({ userId, issuer, subject }: Identity & { readonly userId: string }): void {
    const user = db
      .select({ hasPassword: users.hasPassword })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.disabledAt)))
      .get()
    const isClaimed = db.select().from(identities).where(eq(identities.userId, userId)).get() !== undefined
    if (user?.hasPassword !== false || isClaimed || ownerOf(db, { issuer, subject })) throw taken()
    db.insert(identities).values({ issuer, subject, userId }).run()
  },

  /**
   * Connects a user who is signed in with a person at a provider, and with one alone: the page of the account names none, so
   * nobody would notice a second way in.
   *
   * @throws AppError `unauthenticated` if the session has ended or the password was changed, `invalid` if the person has
   *   another account, or the account another person
   */
  connectIdentity({ userId, passwordHash, session, issuer, subject }: Connection): void {
    const user = db
      .select({ id: users.id })
      .from(users)
      .innerJoin(sessions, and(eq(sessions.userId, users.id), eq(sessions.hash, session)))
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.disabledAt)))
      .get()
    if (!user) throw accountChanged()
    const owner = ownerOf(db, { issuer, subject })
    if (owner === userId) return
    const connected = db
      .select()
      .from(identities)
      .where(and(eq(identities.userId, userId), eq(identities.issuer, issuer)))
      .get()
    if (owner !== undefined || connected) throw taken()
    db.insert(identities).values({ issuer, subject, userId }).run()
  },

  /** Ends the connections of a user with a provider. */
  disconnectIdentities({ userId, issuers }: { userId: string; issuers: readonly string[] }): void {
    db.delete(identities)
      .where(and(eq(identities.userId, userId), inArray(identities.issuer, [...issuers])))
      .run()
  },
})

/**
 * The account takes the place of one with this address that nobody has proved, also if the person was connected with that.
 *
 * @throws AppError `invalid` if another user has proved the address, or the person has another account
 */
export const addUserOfProvider = (db: Db, { issuer, subject, ...user }: NewUserOfProvider, now: number): void => {
  const owner = ownerOf(db, { issuer, subject })
  if (owner !== undefined && owner !== userReads(db).findUser(user.email)?.id) throw taken()
  addProvedUser(db, { ...user, hasPassword: false }, now)
  db.insert(identities).values({ issuer, subject, userId: user.id }).run()
}

const ownerOf = (db: Db, { issuer, subject }: Identity): string | undefined =>
  db
    .select({ userId: identities.userId })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .get()?.userId

const taken = () => invalid({ message: 'this person, or this address, has another account' })

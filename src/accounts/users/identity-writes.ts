import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Db } from '../../storage/open.ts'
import { identities, sessions, users } from '../../storage/tables.ts'
import { accountChanged } from './account-changed.ts'
import { addProvedUser } from './proved-user.ts'
import { userReads } from './user-reads.ts'

/** A person at a provider. Addresses change hands, these two do not. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** The account of someone whom a provider has signed in. */
interface NewUserOfProvider extends Identity {
  readonly id: string
  /** In lower case. */
  readonly email: string
  /** One that no password fits. */
  readonly passwordHash: string
  readonly mayOwnForms: boolean
}

/** Someone who signs in through a provider for the first time. */
export interface FirstSignIn extends NewUserOfProvider {
  /** Unix milliseconds. */
  readonly now: number
  /** Whether only those get in who have been invited, or for whose address there is an account. */
  readonly needsInvitation: boolean
}

interface Connection extends Identity {
  readonly userId: string
  /** The hash that the password was checked against. */
  readonly passwordHash: string
  /** The hash of the session of the user who connects. */
  readonly session: string
}

export type IdentityWrites = ReturnType<typeof identityWrites>

export const identityWrites = (db: Db) => ({
  /**
   * Hands an account that was made for an address to the first person who comes with it. Never one with a password, which
   * someone else may know, and never a second time: the address may have changed hands.
   *
   * @returns whether it was such an account
   */
  claimUser({ userId, issuer, subject }: Identity & { readonly userId: string }): boolean {
    const user = db
      .select({ hasPassword: users.hasPassword })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.disabledAt)))
      .get()
    const isClaimed = db.select().from(identities).where(eq(identities.userId, userId)).get() !== undefined
    if (user?.hasPassword !== false || isClaimed || ownerOf(db, { issuer, subject })) return false
    db.insert(identities).values({ issuer, subject, userId }).run()
    return true
  },

  /**
   * Connects a user who is signed in with a person at a provider, and with one alone: the page of the account names none, so
   * no one would notice a second way in.
   *
   * @returns false if the person has another account, or the account another person
   * @throws AppError `unauthenticated` if the session has ended or the password was changed
   */
  connectIdentity({ userId, passwordHash, session, issuer, subject }: Connection): boolean {
    const user = db
      .select({ id: users.id })
      .from(users)
      .innerJoin(sessions, and(eq(sessions.userId, users.id), eq(sessions.hash, session)))
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.disabledAt)))
      .get()
    if (!user) throw accountChanged()
    const owner = ownerOf(db, { issuer, subject })
    if (owner === userId) return true
    const connected = db
      .select()
      .from(identities)
      .where(and(eq(identities.userId, userId), eq(identities.issuer, issuer)))
      .get()
    if (owner !== undefined || connected) return false
    db.insert(identities).values({ issuer, subject, userId }).run()
    return true
  },

  /** Ends the connections of a user with a provider. */
  disconnectIdentities({ userId, issuers }: { userId: string; issuers: readonly string[] }): void {
    db.delete(identities)
      .where(and(eq(identities.userId, userId), inArray(identities.issuer, [...issuers])))
      .run()
  },
})

/**
 * The account takes the place of one with this address that no one has proved, also if the person was connected with that.
 *
 * @returns false if another user has proved the address or one before it, or the person has another account
 */
export const addUserOfProvider = (db: Db, { issuer, subject, ...user }: NewUserOfProvider, now: number): boolean => {
  const owner = ownerOf(db, { issuer, subject })
  const before = userReads(db).findUser(user.email)
  if (before?.isProved || before?.wasProved || (owner !== undefined && owner !== before?.id)) return false
  addProvedUser(db, { ...user, hasPassword: false }, now)
  db.insert(identities).values({ issuer, subject, userId: user.id }).run()
  return true
}

const ownerOf = (db: Db, { issuer, subject }: Identity): string | undefined =>
  db
    .select({ userId: identities.userId })
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
    .get()?.userId

import { and, eq, inArray, isNull, ne, or } from 'drizzle-orm'
import { invalid, notFound } from '../../base/errors.ts'
import { liveForm } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import { forms, members, sessions, users } from '../../storage/tables.ts'
import { accountChanged } from '../users/account-changed.ts'
import { userReads } from '../users/user-reads.ts'
import { joins } from './invitation-writes.ts'

export interface AddressChange {
  readonly userId: string
  /** The new address, in lower case. */
  readonly email: string
}

/** What the user of a session does who has opened a link that was mailed to the address. */
export interface AddressProof extends AddressChange {
  /** The address of the account when the link was made; the same if only that is proved. */
  readonly from: string
  /** The hash of the password that the link was made with. */
  readonly passwordHash: string
  /** The hash of the session, which goes on. */
  readonly session: string
  /** Unix milliseconds. */
  readonly now: number
}

export type AddressWrites = ReturnType<typeof addressWrites>

export const addressWrites = (db: Db) => {
  const { findUser, findUserById } = userReads(db)
  const { joinAll } = joins(db)

  /** Memberships carry the address. What the new one was invited to, in forms that the user has by now, is no longer of use. */
  const move = (userId: string, email: string): void => {
    const own = db
      .select({ form: forms.number })
      .from(forms)
      .where(and(eq(forms.userId, userId), liveForm))
    const shared = db.select({ form: members.form }).from(members).where(eq(members.userId, userId))
    const isIn = or(inArray(members.form, own), inArray(members.form, shared))
    db.delete(members)
      .where(and(eq(members.email, email), isNull(members.userId), isIn))
      .run()
    db.update(members).set({ email }).where(eq(members.userId, userId)).run()
  }

  return {
    /**
     * The operator's word: sessions end, and all that the account has stays. The new address counts as unproved until someone
     * proves it who can sign in to this account; nobody else who proves it gets the account.
     *
     * @throws AppError `invalid` if another user has the address
     */
    changeEmail({ userId, email }: AddressChange): void {
      const user = findUserById(userId)
      if (!user) throw notFound('User')
      if (user.email === email) return
      if (findUser(email)) throw taken()
      move(userId, email)
      const wasProved = user.isProved || user.wasProved
      db.update(users).set({ email, isProved: false, wasProved }).where(eq(users.id, userId)).run()
      db.delete(sessions).where(eq(sessions.userId, userId)).run()
    },

    /**
     * Makes a proved address that of its user, and accepts what it is invited to. If it is a new one, all other sessions end.
     *
     * @returns `gone` if the account has another address by now, or none of its addresses was ever proved: such an account may
     *   be anyone's, and its owner gets another one. `taken` if another user has the address
     * @throws AppError `unauthenticated` if the session has ended, the password was changed or the user was disabled
     */
    proveAddress(proof: AddressProof): 'proved' | 'changed' | 'gone' | 'taken' {
      const { userId, from, email, passwordHash, session, now } = proof
      const user = db
        .select({ email: users.email, isProved: users.isProved, wasProved: users.wasProved })
        .from(users)
        .innerJoin(sessions, and(eq(sessions.userId, users.id), eq(sessions.hash, session)))
        .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.disabledAt)))
        .get()
      if (!user) throw accountChanged()
      if (user.email !== from || !(user.isProved || user.wasProved)) return 'gone'
      if (from !== email) {
        if (findUser(email)) return 'taken'
        move(userId, email)
        db.delete(sessions)
          .where(and(eq(sessions.userId, userId), ne(sessions.hash, session)))
          .run()
      }
      db.update(users)
        .set({ email, isProved: true, wasProved: false, invitedBy: null })
        .where(eq(users.id, userId))
        .run()
      joinAll(email, userId, now)
      return from === email ? 'proved' : 'changed'
    },
  }
}

const taken = () => invalid({ field: 'email', message: 'must not be the address of another user' })

import { and, eq, inArray, isNull, or } from 'drizzle-orm'
import { invalid, notFound } from '../../base/errors.ts'
import { liveForm } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import { forms, members, sessions, users } from '../../storage/tables.ts'
import { userReads } from '../users/user-reads.ts'

export interface AddressChange {
  readonly userId: string
  /** The new address, in lower case. */
  readonly email: string
}

export const addressWrites = (db: Db) => {
  const { findUser, findUserById } = userReads(db)

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
  }
}

const taken = () => invalid({ field: 'email', message: 'must not be the address of another user' })

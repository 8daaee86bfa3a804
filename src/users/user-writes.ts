import { and, eq, exists, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, sessions, users } from '../db/tables.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { liveForm } from '../forms/ownership.ts'
import { findUser, hasUsers } from './store.ts'

interface NewUser {
  readonly id: string
  /** In lower case. */
  readonly email: string
  readonly passwordHash: string
}

export type AccountWrites = ReturnType<typeof accountWrites>

export const accountWrites = (db: Db) => ({
  /** @throws AppError `invalid` when the address is taken */
  createUser(user: NewUser): void {
    if (findUser(db, user.email)) throw invalid({ field: 'email', message: 'must not be the address of another user' })
    db.insert(users).values(user).run()
  },

  /** @throws AppError `not_found` when there is somebody already */
  createFirstUser(user: NewUser): void {
    if (hasUsers(db)) throw notFound()
    db.insert(users).values(user).run()
  },

  /** A reset: every session ends. */
  resetPassword({ userId, passwordHash }: { userId: string; passwordHash: string }): void {
    db.update(users).set({ passwordHash }).where(eq(users.id, userId)).run()
    db.delete(sessions).where(eq(sessions.userId, userId)).run()
  },

  /**
   * A change by the user: every session but the one that it comes from ends.
   *
   * @throws AppError `unauthenticated` when the session has ended, or the password is no longer the one that was checked
   */
  changePassword(input: { userId: string; oldHash: string; passwordHash: string; session: string }): void {
    const { userId, oldHash, passwordHash, session } = input
    const comesFrom = and(eq(sessions.userId, userId), eq(sessions.hash, session))
    const changed = db
      .update(users)
      .set({ passwordHash })
      .where(
        and(
          eq(users.id, userId),
          eq(users.passwordHash, oldHash),
          isNull(users.disabledAt),
          exists(db.select().from(sessions).where(comesFrom)),
        ),
      )
      .returning({ id: users.id })
      .all()
    if (changed.length === 0) throw new AppError('unauthenticated', 'The account was changed in the meantime')
    db.delete(sessions)
      .where(and(eq(sessions.userId, userId), sql`${sessions.hash} <> ${session}`))
      .run()
  },

  /** Locks the user out: sessions end, keys are refused, forms keep collecting. */
  disableUser({ userId, now }: { userId: string; now: number }): void {
    db.update(users)
      .set({ disabledAt: now })
      .where(and(eq(users.id, userId), isNull(users.disabledAt)))
      .run()
    db.delete(sessions).where(eq(sessions.userId, userId)).run()
  },

  enableUser({ userId }: { userId: string }): void {
    db.update(users).set({ disabledAt: null }).where(eq(users.id, userId)).run()
  },

  /** Keys and sessions go with the user, the forms are gone for every reader; their submissions follow in slices. */
  deleteUser({ userId, now }: { userId: string; now: number }): void {
    db.update(forms)
      .set({ deletedAt: now })
      .where(and(eq(forms.userId, userId), liveForm))
      .run()
    db.delete(users).where(eq(users.id, userId)).run()
  },
})

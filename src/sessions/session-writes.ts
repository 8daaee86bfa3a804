import { and, eq, gt, isNull, lte, ne } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { clockCheck } from '../db/steady-clock.ts'
import { sessions, users } from '../db/tables.ts'
import { accountChanged } from '../errors.ts'
import { type CheckedCode, hasSecondFactor, useCode } from '../users/second-factor-writes.ts'

interface NewSession {
  readonly id: string
  readonly hash: string
  readonly userId: string
  /** The hash that the password was checked against. */
  readonly passwordHash: string
  /** Of a user who has turned on a second factor. */
  readonly code?: CheckedCode | undefined
  readonly browser: string
  readonly expiresAt: number
  readonly now: number
}

export type SessionWrites = ReturnType<typeof sessionWrites>

export const sessionWrites = (db: Db) => ({
  /**
   * @throws AppError `unauthenticated` if the user was disabled, got another password or turned on a second factor after the
   *   check, `invalid` if the code was used
   */
  startSession({ id, hash, userId, passwordHash, code, browser, expiresAt, now }: NewSession): void {
    const user = db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.disabledAt)))
      .get()
    if (!user) throw accountChanged()
    if (hasSecondFactor(db, userId)) {
      if (!code) throw accountChanged()
      useCode(db, userId, code)
    }
    if (clockCheck(db)({ now })) db.delete(sessions).where(lte(sessions.expiresAt, now)).run()
    db.insert(sessions).values({ hash, id, userId, expiresAt, browser }).run()
  },

  extendSession({ hash, expiresAt, now }: { hash: string; expiresAt: number; now: number }): void {
    db.update(sessions)
      .set({ expiresAt })
      .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, now)))
      .run()
  },

  endSession({ hash }: { hash: string }): void {
    db.delete(sessions).where(eq(sessions.hash, hash)).run()
  },

  /** Ends one of the user's by its identifier. */
  endSessionOfUser({ userId, id }: { userId: string; id: string }): void {
    db.delete(sessions)
      .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
      .run()
  },

  /** @param input.except the hash of one that goes on; without it, all of the user's end */
  endSessions({ userId, except = '' }: { userId: string; except?: string | undefined }): void {
    db.delete(sessions)
      .where(and(eq(sessions.userId, userId), ne(sessions.hash, except)))
      .run()
  },
})

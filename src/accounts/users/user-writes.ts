import { and, eq, exists, isNotNull, isNull, sql } from 'drizzle-orm'
import { notFound } from '../../base/errors.ts'
import { endedShareWrites, forgetForms } from '../../forms/ended-shares.ts'
import { liveForm, nameWith, ownedForms } from '../../forms/form.ts'
import { trailWrites } from '../../forms/trail.ts'
import type { Db } from '../../storage/open.ts'
import { forms, members, sessions, users } from '../../storage/tables.ts'
import { accountChanged } from './account-changed.ts'
import { addProvedUser, type NewUser } from './proved-user.ts'
import { userReads } from './user-reads.ts'

export interface PasswordChange {
  readonly userId: string
  /** The hash of the password that was checked. */
  readonly oldHash: string
  readonly passwordHash: string
  /** The hash of the session that changes it. */
  readonly session: string
}

interface PasswordReset {
  readonly userId: string
  readonly passwordHash: string
  readonly passwordUntil?: number
  /** The identifier of the account that takes the place of one whose address was never proved. */
  readonly id?: string
  /** Unix milliseconds. */
  readonly now?: number
}

interface Deletion {
  readonly userId: string
  readonly now: number
  readonly sharedTo?: string
  readonly deleteShared?: boolean
}

export type UserWrites = ReturnType<typeof userWrites>

export const userWrites = (db: Db) => ({
  /**
   * An account by the operator, who answers for the address. It takes the place of one that no one has proved.
   *
   * @throws AppError `invalid` if another user has the address
   */
  createUser({ now = 0, ...user }: NewUser & { readonly now?: number }): void {
    addProvedUser(db, user, now)
  },

  /** An operator. Returns false, and creates none, if there is a user already. */
  createFirstUser(user: NewUser): boolean {
    if (userReads(db).hasUsers()) return false
    db.insert(users)
      .values({ ...user, isOperator: true })
      .run()
    return true
  },

  /**
   * A reset by the operator: every session ends. An account that no one has proved becomes that of the person who gets the
   * password.
   *
   * @param input.passwordUntil as of a new user
   * @returns whether another account took its place
   */
  resetPassword({ userId, passwordHash, passwordUntil = 0, id, now = 0 }: PasswordReset): boolean {
    const user = userReads(db).findUserById(userId)
    if (user && !user.isProved && !user.wasProved && id !== undefined) {
      addProvedUser(db, { id, email: user.email, passwordHash, passwordUntil, mayOwnForms: false }, now)
      return true
    }
    const proved = user?.wasProved === true && { isProved: true, wasProved: false, invitedBy: null }
    db.update(users)
      .set({ passwordHash, hasPassword: true, passwordUntil, ...proved })
      .where(eq(users.id, userId))
      .run()
    db.delete(sessions).where(eq(sessions.userId, userId)).run()
    return false
  },

  /**
   * A change by the user: every other session ends.
   *
   * @throws AppError `unauthenticated` if the session has ended, or the password is no longer the one that was checked
   */
  changePassword({ userId, oldHash, passwordHash, session }: PasswordChange): void {
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
    if (changed.length === 0) throw accountChanged()
    db.delete(sessions)
      .where(and(eq(sessions.userId, userId), sql`${sessions.hash} <> ${session}`))
      .run()
  },

  /**
   * Locks the user out: sessions end, keys are refused, and submissions have no deliveries (see outbox/claim.ts). Forms keep
   * collecting.
   */
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

  /**
   * Shows a user the page of the server, or no longer.
   *
   * @returns false, and shows it not, if no one has proved the address: whoever proves it gets another account
   */
  setOperator({ userId, isOperator }: { userId: string; isOperator: boolean }): boolean {
    const user = userReads(db).findUserById(userId)
    if (isOperator && !user?.isProved) return false
    db.update(users).set({ isOperator }).where(eq(users.id, userId)).run()
    return true
  },

  /** Lets a user who began with an invitation own forms. */
  allowForms({ userId }: { userId: string }): void {
    db.update(users).set({ mayOwnForms: true }).where(eq(users.id, userId)).run()
  },

  /**
   * Deletes keys and sessions too. The forms are gone for every reader; their submissions are removed in slices.
   *
   * @param input.sharedTo identifier of a user who gets the forms that others see
   * @param input.deleteShared whether these go, too; without either, a user with such forms is not deleted
   * @returns how many forms kept the user from being deleted
   * @throws AppError `not_found` if no one is there to get them, or no one has proved the address of that account
   */
  deleteUser({ userId, now, sharedTo, deleteShared = false }: Deletion): number {
    const shared = deleteShared && sharedTo === undefined ? [] : sharedFormsOf(db, userId)
    if (sharedTo !== undefined) handOverShared(db, shared, { userId, now, sharedTo })
    else if (shared.length > 0) return shared.length
    const own = and(eq(forms.userId, userId), liveForm)
    // Not left to the foreign key, which would write each row again.
    db.update(forms).set({ deletedAt: now, userId: null }).where(own).run()
    const seen = db.select({ form: members.form }).from(members).where(eq(members.userId, userId))
    forgetForms(db, userId, seen)
    db.delete(users).where(eq(users.id, userId)).run()
    return 0
  },
})

/** Numbers of the forms of a user that are shared with someone who has an account. */
export const sharedFormsOf = (db: Db, userId: string): number[] =>
  db
    .selectDistinct({ form: members.form })
    .from(forms)
    .innerJoin(members, eq(members.form, forms.number))
    .where(and(eq(forms.userId, userId), liveForm, isNotNull(members.userId)))
    .orderBy(members.form)
    .all()
    .map(({ form }) => form)

/** The new owner of a form is no longer among those with whom it is shared, nor invited. */
const handOverShared = (db: Db, shared: readonly number[], { userId, now, sharedTo }: Deletion): void => {
  const heir = sharedTo === userId ? undefined : userReads(db).findUserById(sharedTo as string)
  if (!heir?.isProved) throw notFound('User')
  const note = trailWrites(db)
  const ended = endedShareWrites(db)
  for (const form of shared) {
    const { id } = db
      .update(forms)
      .set({ userId: heir.id, name: nameWith(sql`${heir.id}`) })
      .where(eq(forms.number, form))
      .returning({ id: forms.id })
      .get()
    ended.forget(heir.id, id)
    db.delete(members)
      .where(and(eq(members.form, form), eq(members.email, heir.email)))
      .run()
    forgetForms(db, userId, [form])
    note(form, { userId, at: now, what: 'owner', detail: heir.email })
  }
  // The operator, who decides who may own forms, has chosen the heir.
  ownedForms(db).countForms(heir.id, shared.length)
}

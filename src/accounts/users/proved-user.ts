import { and, desc, eq } from 'drizzle-orm'
import { invalid } from '../../base/errors.ts'
import { endedShareWrites, forgetForms } from '../../forms/ended-shares.ts'
import { liveForm } from '../../forms/form.ts'
import { trailWrites } from '../../forms/trail.ts'
import type { Db } from '../../storage/open.ts'
import { forms, keptOfUsers, members, users } from '../../storage/tables.ts'
import { userReads } from './user-reads.ts'

export interface NewUser {
  readonly id: string
  /** In lower case. */
  readonly email: string
  readonly passwordHash: string
  /** False for an account that its user enters through a provider alone. */
  readonly hasPassword?: boolean
  /** Until when the password works where only a provider signs in. */
  readonly passwordUntil?: number
  readonly mayOwnForms?: boolean
  /** Whether the user sees the page of the server. Never inherited: someone else may have proved the address. */
  readonly isOperator?: boolean
}

/**
 * Creates the account of someone who has proved the address. It takes the place of one with this address that no one has
 * proved, which anyone may have made: that one is deleted with its sessions, keys, second factor, identities and memberships.
 * What the operator decided about it stays, and so do its forms, which are no one else's.
 *
 * @throws AppError `invalid` if the address, or one before it of that account, is proved already
 */
export const addProvedUser = (db: Db, user: NewUser, now: number): void => {
  const before = userReads(db).findUser(user.email)
  if (before?.isProved || before?.wasProved)
    throw invalid({ field: 'email', message: 'must not be the address of another user' })
  // No address, and no two users have the same at any moment.
  if (before) db.update(users).set({ email: before.id }).where(eq(users.id, before.id)).run()
  const kept = before && db.select(keptOfUsers).from(users).where(eq(users.id, before.id)).get()
  const mayOwnForms = kept?.mayOwnForms || (user.mayOwnForms ?? true)
  db.insert(users)
    .values({ ...user, ...kept, mayOwnForms })
    .run()
  if (!before) return
  endMemberships(db, before.id, user, now)
  db.update(forms).set({ userId: user.id }).where(eq(forms.userId, before.id)).run()
  db.delete(users).where(eq(users.id, before.id)).run()
}

/** With more memberships, only those of the newest forms are noted: 5,000 took 0.3 s, for which all writes wait. */
const maxNoted = 100

/** Also forgets what was read, in own forms too. The owner of the address is told which forms these were. */
const endMemberships = (db: Db, before: string, { id: userId, email }: NewUser, now: number): void => {
  const note = trailWrites(db)
  const ended = endedShareWrites(db)
  const left = db
    .select({ number: forms.number, id: forms.id, title: forms.title, userId: forms.userId })
    .from(members)
    .innerJoin(forms, and(eq(forms.number, members.form), liveForm))
    .where(eq(members.userId, before))
    .orderBy(desc(members.form))
    .limit(maxNoted)
    .all()
  for (const form of left.toReversed()) {
    note(form.number, { userId, at: now, what: 'unshared', detail: email })
    ended.end(form, userId, 'unshared', now)
  }
  const own = db.select({ number: forms.number }).from(forms).where(eq(forms.userId, before))
  const shared = db.select({ number: members.form }).from(members).where(eq(members.userId, before))
  for (const seen of [own, shared]) forgetForms(db, before, seen)
}

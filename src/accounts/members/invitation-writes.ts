import { and, asc, eq, gt } from 'drizzle-orm'
import { forbidden, invalid, notFound } from '../../base/errors.ts'
import { endedShareWrites } from '../../forms/ended-shares.ts'
import { liveForm } from '../../forms/form.ts'
import { trailWrites } from '../../forms/trail.ts'
import type { Db } from '../../storage/open.ts'
import { forms, given, literal, members, param, users } from '../../storage/tables.ts'
import { unreadWrites } from '../../submissions/unread-writes.ts'
import { addUserOfProvider, type FirstSignIn } from '../users/identity-writes.ts'
import { addProvedUser } from '../users/proved-user.ts'
import { userReads } from '../users/user-reads.ts'

interface Accepted {
  /** SHA-256 of the token in hexadecimal. */
  readonly hash: string
  /** Unix milliseconds. */
  readonly now: number
}

/** A user who is created with an invitation. The address is that of the invitation. */
interface Invited extends Accepted {
  /** The user's identifier. */
  readonly id: string
  readonly passwordHash: string
  readonly mayOwnForms: boolean
}

/** More invitations for one address are left to their links: a command must not take long. */
const maxJoined = 100

export type InvitationWrites = ReturnType<typeof invitationWrites>

/** Commands of invited people. Each invitation works once. @throws AppError `not_found` if it no longer does */
export const invitationWrites = (db: Db) => {
  const { findUser, findUserById } = userReads(db)
  const find = invitationReader(db)
  const { join, joinAll, isInvited } = joins(db)

  const findLive = (accepted: Accepted): Invitation => {
    const invitation = find(accepted)
    if (!invitation) throw notFound('Invitation')
    return invitation
  }

  return {
    /** @throws AppError `forbidden` if the invitation is for another address */
    acceptInvitation({ userId, ...accepted }: Accepted & { readonly userId: string }): void {
      const invitation = findLive(accepted)
      if (findUserById(userId)?.email !== invitation.email) throw forbidden()
      join(invitation, userId, accepted.now)
    },

    /**
     * With a link that was mailed, the person has proved the address: the account takes the place of one that no one has
     * proved, and accepts what else the address is invited to.
     *
     * @throws AppError `invalid` if someone has an account with the address by now
     */
    createInvitedUser({ id, passwordHash, mayOwnForms, ...accepted }: Invited): void {
      const invitation = findLive(accepted)
      const { email, isMailed, invitedBy } = invitation
      const { now } = accepted
      const user = { id, email, passwordHash, mayOwnForms }
      if (isMailed) addProvedUser(db, user, now)
      else if (findUser(email)) throw invalid({ field: 'email', message: 'must not be the address of another user' })
      else
        db.insert(users)
          .values({ ...user, isProved: false, invitedBy })
          .run()
      join(invitation, id, now)
      if (isMailed) joinAll(email, id, now)
    },

    /**
     * Creates the account of someone whose address a provider has verified, and accepts what that address is invited to. It
     * takes the place of an account with this address that no one has proved.
     *
     * @returns `uninvited` if it needs an invitation and has none, `taken` if another user has proved the address, or the
     *   person has another account
     */
    createUserOfProvider({ needsInvitation, now, ...user }: FirstSignIn): 'created' | 'uninvited' | 'taken' {
      const { email } = user
      if (needsInvitation && !findUser(email) && !isInvited(email, now)) return 'uninvited'
      if (!addUserOfProvider(db, user, now)) return 'taken'
      joinAll(email, user.id, now)
      return 'created'
    },
  }
}

/** What joins someone to the forms that an address is invited to. */
export const joins = (db: Db) => {
  const { accept, ofAddress } = statements(db)
  const unread = unreadWrites(db)
  const note = trailWrites(db)
  const ended = endedShareWrites(db)
  const join = ({ id, form, formId, email, role }: Invitation, userId: string, now: number): void => {
    accept.run({ id, userId })
    unread.keepRead(form, [userId])
    ended.forget(userId, formId)
    note(form, { userId, at: now, what: 'joined', detail: `${email} ${role}` })
  }
  return {
    join,
    joinAll(email: string, userId: string, now: number): void {
      for (const invitation of ofAddress.all({ email, now })) join(invitation, userId, now)
    },
    isInvited: (email: string, now: number): boolean => ofAddress.all({ email, now }).length > 0,
  }
}

export type Invitation = NonNullable<ReturnType<ReturnType<typeof invitationReader>>>

/** Finds an invitation that still works, to a form that is still there. */
export const invitationReader = (db: Db) => {
  const byHash = invitations(db)
    .where(and(eq(members.inviteHash, param('hash')), gt(members.inviteEndsAt, param('now'))))
    .prepare()
  return ({ hash, now }: Accepted) => byHash.get({ hash, now })
}

const invitations = (db: Db) =>
  db
    .select({
      id: members.id,
      form: members.form,
      formId: forms.id,
      title: forms.title,
      email: members.email,
      role: members.role,
      invitedBy: members.invitedBy,
      isMailed: members.isMailed,
    })
    .from(members)
    .innerJoin(forms, and(eq(forms.number, members.form), liveForm))

const statements = (db: Db) => {
  const accept = db
    .update(members)
    .set({
      userId: given('userId'),
      inviteHash: literal(null),
      inviteEndsAt: literal(null),
      invitedBy: literal(null),
      isMailed: literal(0),
    })
    .where(eq(members.id, param('id')))
    .prepare()
  const ofAddress = invitations(db)
    .where(and(eq(members.email, param('email')), gt(members.inviteEndsAt, param('now'))))
    .orderBy(asc(members.id))
    .limit(maxJoined)
    .prepare()
  return { accept, ofAddress }
}

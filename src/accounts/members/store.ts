import { and, asc, eq, getTableColumns } from 'drizzle-orm'
import { dayMilliseconds } from '../../base/durations.ts'
import { sha256 } from '../../base/hash.ts'
import { newId } from '../../base/id.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import { newToken } from '../../base/token.ts'
import type { Config } from '../../config/config.ts'
import type { FormTo, MemberRole } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import { ownerReader } from '../../forms/owner.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { members, param, users } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Caller } from '../keys/store.ts'
import { inviters, userReads } from '../users/user-reads.ts'
import { type Invitation, type InvitationWrites, invitationReader } from './invitation-writes.ts'
import { hasEnded, type Member, type MemberWrites } from './member-writes.ts'

/** The people with whom a form is shared, and its owner. */
export interface People {
  readonly owner: string
  readonly members: readonly ListedMember[]
}

/** A member or an invitation, and whether there is an account of which anyone may have the password. */
export type ListedMember = Omit<Member, 'invitedBy'> & KnownAddress

interface KnownAddress {
  /** Whether the account with the address has proved it; null if there is no account. */
  readonly isProved: boolean | null
  /** Address of the user by whose invitation such an account was made; null if that user was deleted. */
  readonly invitedBy: string | null
}

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<MemberWrites & InvitationWrites>
  readonly now: () => number
  /** Resolves to whether a mail server has taken it. Null if the server sends no mail. */
  readonly sendInvitation: ((mail: InvitationMail) => Promise<boolean>) | null
  /** Counts a mail of this user that no server took. Returns whether it may be tried again on the same day. */
  readonly countFailure: (userId: string) => boolean
  readonly config: Pick<Config, 'invitedMayOwnForms'>
}

/**
 * The account with the address of an invitation: `unproved` may be anyone's; with a link that was mailed, it belongs to the
 * person who opens it (`theirs`), unless it is `disabled`.
 */
export type InvitedAccount = 'none' | 'proved' | 'unproved' | 'theirs' | 'disabled'

/** A mail with the link of an invitation. */
export interface InvitationMail {
  readonly id: string
  readonly to: string
  readonly form: Pick<Form, 'id' | 'title'>
  readonly token: string
  /** Address of the user who invites. */
  readonly by: string
}

/** How long an invitation works. */
export const inviteDays = 7

/** Shares forms. Functions with a `userId` throw the AppErrors `not_found` and `forbidden`. */
export const openMemberStore = (options: Options) => {
  const { reader, findForm, writer, now, sendInvitation, countFailure, config } = options
  const { ofForm, ownIn } = statements(reader.db)
  const ownerOf = ownerReader(reader.db)
  const readInvitation = invitationReader(reader.db)
  const { findUser } = userReads(reader.db)

  return {
    /** Members and invitations that still work, in the order in which they were added. */
    listMembers(form: FormTo<'share'>): People {
      return {
        owner: ownerOf(form).email,
        members: ofForm.all({ form: form.number }).filter((member) => !hasEnded(member, now())),
      }
    },

    /**
     * Shares a form with the user who has proved this address, or invites the person.
     *
     * @param email in lower case
     * @param caller may invite no one with a key that is limited to forms
     * @returns of an invitation, whether it was mailed, and where there is no mail server the token, which is not stored
     * @throws AppError as the command does
     */
    async addMember(
      { userId, forms }: Pick<Caller, 'userId' | 'forms'>,
      formId: string,
      { email, role }: { readonly email: string; readonly role: MemberRole },
    ) {
      const at = now()
      const id = newId(at)
      const token = newToken(24)
      const invitation = { inviteHash: sha256(token, 'hex'), inviteEndsAt: at + inviteDays * dayMilliseconds }
      const mailTo = sendInvitation && toMailAddress(email)
      const member = { id, email, role, ...invitation, mailTo, mayInvite: forms === null }
      const added = await writer.run('addMember', { userId, formId, now: at, ...member })
      const isMember = added.state === 'member'
      const invitedBy = isMember ? null : added.invitedBy
      const shared = { id, email, role, state: added.state, isProved: isMember, invitedBy }
      if (isMember) return { ...shared, token: undefined, isMailed: false }
      if (!sendInvitation) return { ...shared, token, isMailed: false }
      const form = findForm(formId)
      const by = ownerOf({ userId }).email
      const isMailed = added.mayMail && form && (await sendInvitation({ id, to: email, form, token, by })) === true
      if (added.mayMail && !isMailed && countFailure(userId)) await writer.run('uncountInvitation', { id })
      return { ...shared, token: undefined, isMailed: isMailed === true }
    },

    /** Makes a member the owner, and the owner a manager. @param email of the member, in lower case */
    handOver: (userId: string, formId: string, email: string): Promise<void> => {
      const at = now()
      return writer.run('handOver', { userId, formId, id: newId(at), email, now: at })
    },

    /** The invitation of a link; undefined if it no longer works. */
    findInvitation: (token: string): Invitation | undefined =>
      /^[\w-]{32}$/.test(token) ? readInvitation({ hash: sha256(token, 'hex'), now: now() }) : undefined,

    /** The account with the address of an invitation. @param hasPasswords false where only the provider signs in */
    accountOf({ email, isMailed }: Invitation, hasPasswords: boolean): InvitedAccount {
      const user = findUser(email)
      if (!user) return 'none'
      if (user.isProved || user.wasProved) return 'proved'
      // Where only the provider signs in, no one can choose a password.
      if (!isMailed || !hasPasswords) return 'unproved'
      return user.disabledAt === null ? 'theirs' : 'disabled'
    },

    /** @throws AppError `not_found` if it no longer works, `forbidden` if it is for another address */
    acceptInvitation: (token: string, userId: string): Promise<void> =>
      writer.run('acceptInvitation', { hash: sha256(token, 'hex'), now: now(), userId }),

    /**
     * Makes an account with the address of an invitation, and accepts it. If the link was mailed, that proves the address.
     *
     * @returns the identifier of the user
     * @throws AppError `not_found` if it no longer works, `invalid` if someone has such an account by now
     */
    async createInvitedUser(token: string, passwordHash: string): Promise<string> {
      const at = now()
      const user = { id: newId(at), passwordHash, mayOwnForms: config.invitedMayOwnForms }
      await writer.run('createInvitedUser', { hash: sha256(token, 'hex'), now: at, ...user })
      return user.id
    },

    updateMember: (userId: string, formId: string, id: string, role: MemberRole): Promise<void> =>
      writer.run('updateMember', { userId, formId, id, role, now: now() }),

    /** Removes a member, or takes an invitation back. Everyone may remove themselves. */
    removeMember: (userId: string, formId: string, id: string): Promise<void> =>
      writer.run('removeMember', { userId, formId, id, now: now() }),

    /** The identifier of the user's own membership of a form; undefined if the user is not a member. */
    findOwn: (userId: string, { number }: FormTo<'read'>): string | undefined =>
      ownIn.get({ userId, form: number })?.id,

    /** The columns that a member has chosen; null for those of the form. */
    findColumns(userId: string, { number, userId: ownerId }: FormTo<'read'>): readonly string[] | null {
      const columns = ownerId === userId ? null : ownIn.get({ userId, form: number })?.columns
      return columns == null ? null : JSON.parse(columns)
    },

    /**
     * Stores the columns that the user sees; for the owner, they are a setting of the form.
     *
     * @param columns null for the form's own
     */
    chooseColumns: (userId: string, formId: string, columns: readonly string[] | null): Promise<void> =>
      writer.run('chooseColumns', { userId, formId, columns }),
  }
}

const statements = (db: Db) => {
  const ofForm = db
    .select({ ...getTableColumns(members), isProved: users.isProved, invitedBy: inviters.email })
    .from(members)
    .leftJoin(users, eq(users.email, members.email))
    .leftJoin(inviters, eq(inviters.id, users.invitedBy))
    .where(eq(members.form, param('form')))
    .orderBy(asc(members.id))
    .prepare()
  const ownIn = db
    .select({ id: members.id, columns: members.columns })
    .from(members)
    .where(and(eq(members.userId, param('userId')), eq(members.form, param('form'))))
    .prepare()
  return { ofForm, ownIn }
}

import { and, asc, desc, eq, getTableColumns, isNotNull, notInArray, type SQL, sql } from 'drizzle-orm'
import { dayMilliseconds } from '../../base/durations.ts'
import { sha256 } from '../../base/hash.ts'
import { newId } from '../../base/id.ts'
import { itemsOf, type ListPage } from '../../base/list-page.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import { newToken } from '../../base/token.ts'
import type { FormAccess, FormTo, MemberRole } from '../../forms/access.ts'
import { type EndedShare, endedShareReader, toldMilliseconds } from '../../forms/ended-shares.ts'
import type { Form } from '../../forms/form.ts'
import { type ListedForm, listedColumns } from '../../forms/form-lists.ts'
import { type Db, hasRows } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { forms, members, param, users } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Caller } from '../keys/store.ts'
import { inviters } from '../users/user-reads.ts'
import { type Invitation, type InvitationWrites, invitationReader } from './invitation-writes.ts'
import { hasEnded, type Member, type MemberWrites } from './member-writes.ts'

export type MemberStore = ReturnType<typeof openMemberStore>

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

/** A form of someone else, with what its reader is told about that. */
export interface SharedForm extends ListedForm {
  readonly role: MemberRole
  /** Address of the owner. */
  readonly owner: string
}

interface FoundForms {
  readonly total: number
  readonly forms: readonly SharedForm[]
}

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly access: FormAccess
  readonly writer: Writer<MemberWrites & InvitationWrites>
  readonly now: () => number
  /** Null if the server has no mail server. */
  readonly sendInvitation: SendInvitation | null
  /** Counts a mail of this user that no server took. Returns whether it may be tried again on the same day. */
  readonly countFailure: (userId: string) => boolean
  /** Whether those who are invited may own forms. */
  readonly invitedMayOwnForms: boolean
}

/** A mail with the link of an invitation. */
export interface InvitationMail {
  readonly id: string
  readonly to: string
  readonly form: Pick<Form, 'id' | 'title'>
  readonly token: string
  /** Address of the user who invites. */
  readonly by: string
}

/** Resolves to whether a mail server has taken it. */
export type SendInvitation = (mail: InvitationMail) => Promise<boolean>

/** How long an invitation works. */
export const inviteDays = 7

/** Shares forms. Functions with a `userId` throw the AppErrors `not_found` and `forbidden`. */
export const openMemberStore = (options: Options) => {
  const { reader, findForm, access, writer, now, sendInvitation, countFailure, invitedMayOwnForms } = options
  const { roleOf } = access
  const { ofForm, ownerOf, ownIn, sharedWith, anyRemoved, countAll, countLive, anyShared } = statements(reader.db)
  // To count a thousand takes 20 µs, and 60 while any form is being removed.
  const countShared = reader.remembering((userId) => (anyRemoved() ? countLive : countAll).get({ userId })?.count)
  const readInvitation = invitationReader(reader.db)
  const readEnded = endedShareReader(reader.db)
  const listEnded = (userId: string): readonly EndedShare[] => readEnded(userId, now() - toldMilliseconds)

  /** Newest first. */
  const sharedAmong = (userId: string, ids: ReadonlySet<string>): SharedForm[] =>
    [...ids]
      .toSorted()
      .toReversed()
      .flatMap((id) => {
        const form = findForm(id)
        const role = form && roleOf(userId, form)
        return role && role !== 'owner'
          ? [{ ...form, role, owner: ownerOf.get({ userId: form.userId })?.email ?? '' }]
          : []
      })

  return {
    /** Members and invitations that still work, in the order in which they were added. */
    listMembers(form: FormTo<'share'>): People {
      return {
        owner: ownerOf.get({ userId: form.userId })?.email ?? '',
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
      const by = ownerOf.get({ userId })?.email ?? ''
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
      const user = { id: newId(at), passwordHash, mayOwnForms: invitedMayOwnForms }
      await writer.run('createInvitedUser', { hash: sha256(token, 'hex'), now: at, ...user })
      return user.id
    },

    updateMember: (userId: string, formId: string, id: string, role: MemberRole): Promise<void> =>
      writer.run('updateMember', { userId, formId, id, role, now: now() }),

    /** Removes a member, or takes an invitation back. Everyone may remove themselves. */
    removeMember: (userId: string, formId: string, id: string): Promise<void> =>
      writer.run('removeMember', { userId, formId, id, now: now() }),

    /**
     * Forms that others share with the user, newest first. `total` counts those on all pages.
     *
     * @param only identifiers of the forms that a key is limited to; null for all
     */
    listShared(userId: string, page: ListPage, only: ReadonlySet<string> | null): FoundForms {
      if (only) {
        const named = sharedAmong(userId, only)
        return { total: named.length, forms: itemsOf(named, page) }
      }
      const total = countShared(userId) ?? 0
      const offset = (page.page - 1) * page.perPage
      if (offset >= total) return { total, forms: [] }
      const rows = sharedWith.all({ userId, limit: page.perPage, offset })
      const owners = new Map<string | null, string>()
      const found = rows.map(({ ownerId, ...listed }) => {
        const owner = owners.get(ownerId) ?? ownerOf.get({ userId: ownerId })?.email ?? ''
        owners.set(ownerId, owner)
        return { ...listed, owner }
      })
      return { total, forms: found }
    },

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

    /** Forms that others shared with the user and that are gone, or no longer shared: for 30 days, the newest first. */
    listEnded,

    /** Whether anyone shares a form with the user, or did lately. */
    hasShared: (userId: string): boolean => anyShared.get({ userId }) !== undefined || listEnded(userId).length > 0,
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
  const ownerOf = db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, param('userId')))
    .prepare()
  const ofUser = eq(members.userId, param('userId'))
  const ownIn = db
    .select({ id: members.id, columns: members.columns })
    .from(members)
    .where(and(ofUser, eq(members.form, param('form'))))
    .prepare()
  // With a join of all forms for each count and each row that is skipped, a page of 1,000 shared forms took 0.7 ms of CPU
  // instead of 0.2.
  const beingRemoved = db.select({ number: forms.number }).from(forms).where(isNotNull(forms.deletedAt))
  const ofLive = and(ofUser, notInArray(members.form, beingRemoved))
  const pageOfUser = db
    .select({ form: members.form, role: members.role })
    .from(members)
    .where(ofLive)
    .orderBy(desc(members.form))
    .limit(param('limit'))
    .offset(param('offset'))
    .as('page')
  const sharedWith = db
    .select({ role: pageOfUser.role, ownerId: forms.userId, ...listedColumns })
    .from(pageOfUser)
    .innerJoin(forms, eq(forms.number, pageOfUser.form))
    .orderBy(desc(pageOfUser.form))
    .prepare()
  const count = (where: SQL | undefined) =>
    db.select({ count: sql<number>`count(*)` }).from(members).where(where).prepare()
  const countAll = count(ofUser)
  const countLive = count(ofLive)
  const anyRemoved = hasRows(db, forms, isNotNull(forms.deletedAt))
  const anyShared = db.select({ form: members.form }).from(members).where(ofLive).limit(1).prepare()
  return { ofForm, ownerOf, ownIn, sharedWith, anyRemoved, countAll, countLive, anyShared }
}

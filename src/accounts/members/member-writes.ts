import { and, asc, eq } from 'drizzle-orm'
import { forbidden, invalid, notFound } from '../../base/errors.ts'
import { accessIn, type MemberRole } from '../../forms/access.ts'
import { endedShareWrites, forgetForms } from '../../forms/ended-shares.ts'
import { formReader, nameWith, ownedForms } from '../../forms/form.ts'
import { changeSettings } from '../../forms/settings/settings.ts'
import { trailWrites } from '../../forms/trail.ts'
import { notifyWrites } from '../../outbox/addresses.ts'
import type { Db } from '../../storage/open.ts'
import { forms, given, members, param, params, users } from '../../storage/tables.ts'
import { unreadWrites } from '../../submissions/unread-writes.ts'
import { inviters, userReads } from '../users/user-reads.ts'

/** Members and open invitations that a form may have. */
export const maxMembers = 50

/** A form of this user, or one that is shared with them. */
interface OfForm {
  readonly userId: string
  readonly formId: string
  /** Unix milliseconds. */
  readonly now: number
}

interface OfMember extends OfForm {
  /** The member's identifier. */
  readonly id: string
}

interface NewMember extends OfMember {
  /** In lower case. */
  readonly email: string
  readonly role: MemberRole
  /** The hash of the invitation that is made if no account has the address. */
  readonly inviteHash: string
  readonly inviteEndsAt: number
  /** The address to which the server can mail it, in ASCII; null if it cannot. */
  readonly mailTo: string | null
  /** False for a key that is limited to forms. */
  readonly mayInvite?: boolean
}

/** The outcome of sharing a form. */
type Added =
  | { readonly state: 'member' }
  | {
      readonly state: 'invited'
      /** Whether it is mailed. */
      readonly mayMail: boolean
      /** Address of the user by whose invitation there is an account that no one has proved; null if there is none. */
      readonly invitedBy: string | null
    }

interface Exported {
  readonly userId: string
  readonly formIds: readonly string[]
  readonly format: string
  readonly now: number
}

export type Member = typeof members.$inferSelect

export type MemberWrites = ReturnType<typeof memberWrites>

/** @throws AppErrors `not_found` and `forbidden` for the form, `not_found` for the member */
export const memberWrites = (db: Db) => {
  const { findFormTo, roleOf } = accessIn(db)
  const queries = statements(db)
  const { countForms, giveForms } = ownedForms(db)
  const unread = unreadWrites(db)
  const { countInvitation, uncountInvitation } = notifyWrites(db)
  const note = trailWrites(db)
  const findForm = formReader(db)
  const { findUserById } = userReads(db)
  const ended = endedShareWrites(db)

  return {
    /**
     * Shares a form with the user who has proved this address, or invites the person, also if there is an account that anyone may
     * have made.
     *
     * @throws AppErrors `invalid` if the person has the form already, or it has as many members as it may have; `forbidden` if
     *   they would have to be invited and may not
     */
    addMember({ userId, formId, now, mailTo, mayInvite = true, ...member }: NewMember): Added {
      const form = findFormTo('share', userId, formId)
      const { email, role } = member
      const present = queries.ofForm.all({ form: form.number })
      const before = present.find((one) => one.email === email)
      if (before && !hasEnded(before, now)) throw refused(`must not be of a person who is ${inWords(before)}`)
      if (queries.findOwner.get({ userId: form.userId })?.email === email)
        throw refused('must not be that of the owner of the form')
      if (before) queries.remove.run({ id: before.id })
      else if (present.length >= maxMembers) throw tooManyMembers()
      const account = queries.findAccount.get({ email })
      note(form.number, { userId, at: now, what: 'shared', detail: `${email} ${role}` })
      if (account?.isProved) {
        queries.insert.run({ ...member, ...notInvited, form: form.number, userId: account.id })
        unread.keepRead(form.number, [account.id])
        ended.forget(account.id, formId)
        return { state: 'member' }
      }
      if (!mayInvite) throw forbidden()
      const inviter = findUserById(userId)
      if (mailTo !== null && inviter?.isProved !== true) throw refused(cannotInvite)
      const isMailed = mailTo !== null && countInvitation(form, { id: member.id, userId, address: mailTo }, now)
      const invitedBy = (inviter?.isProved ? inviter.id : inviter?.invitedBy) ?? null
      queries.insert.run({ ...member, invitedBy, isMailed, form: form.number, userId: null })
      return { state: 'invited', mayMail: isMailed, invitedBy: account?.invitedBy ?? null }
    },

    /** Lets the address be invited again on the same day. @param input.id of the invitation */
    uncountInvitation: ({ id }: { id: string }): void => uncountInvitation(id),

    updateMember({ userId, formId, now, id, role }: OfMember & { readonly role: MemberRole }): void {
      const { number } = findFormTo('share', userId, formId)
      const member = queries.find.get({ form: number, id })
      if (!member) throw notFound('Member')
      if (member.role === role) return
      queries.setRole.run({ id, role })
      note(number, { userId, at: now, what: 'role', detail: `${member.email} ${role}` })
    },

    /**
     * Makes a member the owner of a form, and its owner a manager. Webhooks, keys, deliveries and what each has read stay.
     *
     * @param input.email of the member, in lower case
     * @param input.id of the membership of the former owner
     * @throws AppError `invalid` if no one with this address is a member, or may own forms, or has proved it
     */
    handOver({ userId, formId, id, email, now: at }: OfMember & { readonly email: string }): void {
      const { number: form } = findFormTo('handOver', userId, formId)
      const member = queries.ofForm.all({ form }).find((one) => one.email === email)
      if (!member || member.userId === null) throw refused('must be of a member of the form')
      const account = queries.findAccount.get({ email })
      const mayOwnNone = () =>
        refused('must be of a person who may own forms, which the operator of the server decides')
      if (account?.disabledAt !== null) throw mayOwnNone()
      giveForms(member.userId, 1, mayOwnNone)
      if (!account.isProved) throw refused('must be of a member who has proved the address')
      queries.remove.run({ id: member.id })
      const former = { id, form, userId, email: queries.findOwner.get({ userId })?.email, role: 'manager' }
      queries.insert.run({ ...former, ...notInvited })
      queries.setOwner.run({ form, userId: member.userId })
      countForms(userId, -1)
      note(form, { userId, at, what: 'owner', detail: email })
    },

    /** Writes down that someone has exported submissions of these forms, of which some may be gone. */
    noteExport({ userId, formIds, format, now: at }: Exported): void {
      for (const id of formIds) {
        const form = findForm(id)
        if (form) note(form.number, { userId, at, what: 'exported', detail: format })
      }
    },

    /** The columns of the list that the user sees. Of the owner, they are a setting of the form. */
    chooseColumns({
      userId,
      formId,
      columns,
    }: Omit<OfForm, 'now'> & { readonly columns: readonly string[] | null }): void {
      const form = findFormTo('read', userId, formId)
      if (roleOf(userId, form) === 'owner') {
        const settings = changeSettings(form.settings, { columns })
        if (settings !== form.settings) queries.updateSettings.run({ form: form.number, settings })
      } else queries.setColumns.run({ userId, form: form.number, columns: columns && JSON.stringify(columns) })
    },

    /** Removes a member, or takes an invitation back. Everyone may remove themselves. */
    removeMember({ userId, formId, now, id }: OfMember): void {
      const form = findFormTo('read', userId, formId)
      const member = queries.find.get({ form: form.number, id })
      if (member?.userId !== userId || roleOf(userId, form) === 'owner') findFormTo('share', userId, formId)
      if (!member) throw notFound('Member')
      queries.remove.run({ id })
      if (member.userId !== null) forgetForms(db, member.userId, [form.number])
      if (member.userId !== null && member.userId !== userId) ended.end(form, member.userId, 'unshared', now)
      note(form.number, { userId, at: now, what: 'unshared', detail: member.email })
    },
  }
}

/** Whether it is an invitation that came to nothing. It stays until a job removes it. */
export const hasEnded = ({ inviteEndsAt }: Pick<Member, 'inviteEndsAt'>, now: number): boolean =>
  inviteEndsAt !== null && inviteEndsAt <= now

const inWords = ({ userId }: Pick<Member, 'userId'>): string =>
  userId === null ? 'invited already' : 'a member already'

/** The columns of a member who needs no invitation. */
const notInvited = { inviteHash: null, inviteEndsAt: null, invitedBy: null, isMailed: false }

/** A mail says by whom someone is invited. */
const cannotInvite = 'must be an address that a user has proved, until you have proved your own'

const refused = (message: string) => invalid({ field: 'email', message, path: '/email' })

const tooManyMembers = () =>
  invalid({ field: 'formId', message: `must be a form with fewer than ${maxMembers} members and invitations` })

const statements = (db: Db) => {
  const byId = eq(members.id, param('id'))
  const inForm = eq(members.form, param('form'))
  return {
    ofForm: db.select().from(members).where(inForm).orderBy(asc(members.id)).prepare(),
    find: db.select().from(members).where(and(byId, inForm)).prepare(),
    findOwner: db
      .select({ email: users.email })
      .from(users)
      .where(eq(users.id, param('userId')))
      .prepare(),
    findAccount: db
      .select({
        id: users.id,
        disabledAt: users.disabledAt,
        isProved: users.isProved,
        invitedBy: inviters.email,
      })
      .from(users)
      .leftJoin(inviters, eq(inviters.id, users.invitedBy))
      .where(eq(users.email, param('email')))
      .prepare(),
    insert: db
      .insert(members)
      .values(params('id', 'form', 'userId', 'email', 'role', 'inviteHash', 'inviteEndsAt', 'invitedBy', 'isMailed'))
      .prepare(),
    setRole: db
      .update(members)
      .set({ role: given('role') })
      .where(byId)
      .prepare(),
    setColumns: db
      .update(members)
      .set({ columns: given('columns') })
      .where(and(inForm, eq(members.userId, param('userId'))))
      .prepare(),
    updateSettings: db
      .update(forms)
      .set({ settings: given('settings') })
      .where(eq(forms.number, param('form')))
      .prepare(),
    setOwner: db
      .update(forms)
      .set({ userId: given('userId'), name: nameWith(given('userId')) })
      .where(eq(forms.number, param('form')))
      .prepare(),
    remove: db.delete(members).where(byId).prepare(),
  }
}

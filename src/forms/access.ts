import { and, eq } from 'drizzle-orm'
import { forbidden, notFound } from '../base/errors.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { members, param } from '../storage/tables.ts'
import { type Form, formReader } from './form.ts'

/** Of those with whom a form is shared, from the one that may do least. */
export const memberRoles = members.role.enumValues
export type MemberRole = (typeof memberRoles)[number]
const roles = [...memberRoles, 'owner'] as const
export type Role = (typeof roles)[number]

/** The least role for each action. */
const leastRoles = {
  /** The form and what was sent to it: to list, search, export and download. Also what one has read, and one's own columns. */
  read: 'reader',
  /** To mark, handle and delete submissions. */
  edit: 'editor',
  /** To see deliveries and to retry them. */
  deliver: 'editor',
  /** To see and change settings, of which the title is one. */
  configure: 'manager',
  /** To remove notes that others wrote. */
  removeNotes: 'manager',
  webhooks: 'manager',
  import: 'manager',
  sheets: 'manager',
  /** To see with whom the form is shared, and to change that. */
  share: 'manager',
  /** A copy belongs to the user who makes it, and has the webhooks and addresses of the form. */
  duplicate: 'owner',
  delete: 'owner',
  handOver: 'owner',
} as const satisfies Readonly<Record<string, Role>>

export type Action = keyof typeof leastRoles

/** Whether a role is enough for an action. */
export const isEnough = (role: Role | undefined, action: Action): boolean =>
  role !== undefined && roles.indexOf(role) >= roles.indexOf(leastRoles[action])

interface RolesFrom {
  readonly reader: Role
  readonly editor: Exclude<Role, 'reader'>
  readonly manager: 'manager' | 'owner'
  readonly owner: 'owner'
}

declare const role: unique symbol

/**
 * A form, and the proof for the compiler that a user may do this with it. `formAccess` and `asOwner` make them. It holds in
 * the turn of the event loop in which it was made: after an `await`, find the form again.
 */
export type FormTo<Act extends Action> = Form & MayDo<Act>
interface MayDo<Act extends Action> {
  readonly [role]: RolesFrom[(typeof leastRoles)[Act]]
}

/** Some columns of a form, with the proof that a user may do this with it. It holds as long as that of `FormTo`. */
export type Allowed<Act extends Action, Names extends keyof Form> = Pick<Form, Names> & MayDo<Act>
export type Readable<Names extends keyof Form> = Allowed<'read', Names>

/** Allows everything: to the operator, who has the file, or of a form that was looked up by its owner. */
export const asOwner = (form: Form): FormTo<'delete'> => form as FormTo<'delete'>

export type FormAccess = ReturnType<typeof formAccess>

interface AccessReads {
  /** Each reads from the database, or from a cache of it. */
  readonly findForm: (id: string) => Form | undefined
  readonly findRole: (userId: string, form: number) => MemberRole | undefined
}

/** The one check of what a user may do with a form. The doors and the commands ask it. Of an owner it reads the form alone. */
export const formAccess = ({ findForm, findRole }: AccessReads) => {
  const roleOf = (userId: string, form: Pick<Form, 'userId' | 'number'>): Role | undefined =>
    form.userId === userId ? 'owner' : findRole(userId, form.number)
  const mayDo = <Act extends Action, F extends Pick<Form, 'userId' | 'number'>>(
    userId: string,
    form: F,
    action: Act,
  ): form is F & MayDo<Act> => isEnough(roleOf(userId, form), action)

  return {
    roleOf,
    mayDo,

    /** Whether a user may no longer do this with a form, though it is still there. */
    isShutOut(userId: string, id: string, action: Action = 'read'): boolean {
      const form = findForm(id)
      return form !== undefined && !mayDo(userId, form, action)
    },

    /** @throws AppError `not_found` if the form does not exist, `forbidden` if the user may not do this with it */
    findFormTo<Act extends Action>(action: Act, userId: string, id: string): FormTo<Act> {
      const form = findForm(id)
      if (!form) throw notFound('Form')
      if (!mayDo(userId, form, action)) throw forbidden()
      return form
    },

    /** Finds those of the forms that exist and that the user may read. */
    findReadable: (userId: string, ids: readonly string[]): FormTo<'read'>[] =>
      ids.flatMap((id) => findForm(id) ?? []).filter((form) => mayDo(userId, form, 'read')),

    /** Finds several forms. `not_found` for any of them wins over `forbidden`. */
    findFormsTo<Act extends Action>(action: Act, userId: string, ids: readonly string[]): FormTo<Act>[] {
      const found = ids.map((id) => {
        const form = findForm(id)
        if (!form) throw notFound('Form')
        return form
      })
      const allowed = found.filter((form) => mayDo(userId, form, action))
      if (allowed.length < found.length) throw forbidden()
      return allowed
    },
  }
}

/** Finds the role of someone with whom a form is shared. */
export const roleReader = oncePerConnection((db: Db): AccessReads['findRole'] => {
  const find = db
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.userId, param('userId')), eq(members.form, param('form'))))
    .prepare()
  return (userId, form) => find.get({ userId, form })?.role
})

/** The check for commands, which know nothing but the file. */
export const accessIn = (db: Db): FormAccess => formAccess({ findForm: formReader(db), findRole: roleReader(db) })

import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { forbidden } from '../base/errors.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { forms, param, users } from '../storage/tables.ts'

/** A deleted form keeps its row until its submissions are removed. No one may see it in the meantime. */
export const liveForm = isNull(forms.deletedAt)

export type Form = typeof forms.$inferSelect

/** Differs when the form has other submissions, others are unread or done, or others have notes. */
export const stateOfForm = ({ latestId, changeCount }: Form, unreadCount: number): string =>
  `${latestId}-${changeCount}-${unreadCount}`

/** The name in files of a form that gets another owner, unless a form of this one has the same. */
export const nameWith = (userId: SQL): SQL<string | null> =>
  sql`case when exists (select 1 from forms as other where other.user_id = ${userId} and other.name = forms.name and other.deleted_at is null) then null else forms.name end`

/** How many forms a user owns, and may own. Must run in the transaction in which they come or go. */
export const ownedForms = oncePerConnection((db: Db) => {
  const ofUser = eq(users.id, param('userId'))
  const find = db.select({ mayOwnForms: users.mayOwnForms }).from(users).where(ofUser).prepare()
  const add = db
    .update(users)
    .set({ formCount: sql`${users.formCount} + ${param('by')}` })
    .where(ofUser)
    .prepare()
  const countForms = (userId: string, by: number): void => void add.run({ userId, by })
  return {
    countForms,

    /** Whoever was invited owns none until the operator allows it. The user may also be gone meanwhile. @param refusal is thrown then */
    giveForms(userId: string, count: number, refusal = forbidden): void {
      if (!find.get({ userId })?.mayOwnForms) throw refusal()
      countForms(userId, count)
    },
  }
})

/** Finds a form by its identifier, unless it has been deleted. */
export const formReader = oncePerConnection((db: Db): ((id: string) => Form | undefined) => {
  const byId = db
    .select()
    .from(forms)
    .where(and(eq(forms.id, param('id')), liveForm))
    .prepare()
  return (id) => byId.get({ id })
})

import { eq } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { param, users } from '../storage/tables.ts'

/** The email address of a form's owner, by which the operator lets it use a sender; empty if there is none. */
export const ownerEmailReader = (db: Db): ((owned: { readonly userId: string | null } | undefined) => string) => {
  const find = db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, param('id')))
    .prepare()
  return (owned) => (owned?.userId ? (find.get({ id: owned.userId })?.email ?? '') : '')
}

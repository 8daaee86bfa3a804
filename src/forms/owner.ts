import { eq } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { param, users } from '../storage/tables.ts'

/** What forms need to know of their owner, for what the operator lets some users do. */
export type Owner = typeof nobody

const nobody = { email: '' }

/** Finds the owner of a form; what it is of one without is empty. */
export const ownerReader = (db: Db): ((owned: { readonly userId: string | null } | undefined) => Owner) => {
  const find = db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, param('id')))
    .prepare()
  return (owned) => (owned?.userId && find.get({ id: owned.userId })) || nobody
}

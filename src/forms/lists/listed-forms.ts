import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../storage/open.ts'
import { param, users } from '../../storage/tables.ts'
import type { Form } from '../form.ts'

/** Which forms lists show: in a statement in which the table has its own name. */
export const isListed = 'forms.deleted_at IS NULL'

/** The same for Drizzle. */
export const listedForm = sql.raw(isListed)
/** The few others: SQLite finds no index for NOT. */
export const unlistedForm = sql.raw('forms.deleted_at IS NOT NULL')

/** How many of a user's own forms lists show. */
export const listedCounter = (db: Db): ((userId: string) => number) => {
  const count = db
    .select({ total: users.formCount })
    .from(users)
    .where(eq(users.id, param('userId')))
    .prepare()
  return (userId) => count.get({ userId })?.total ?? 0
}

/** Those of some forms that lists show, newest first. */
export const listedAmong = (findForm: (id: string) => Form | undefined, ids: ReadonlySet<string>): Form[] =>
  [...ids]
    .toSorted()
    .toReversed()
    .flatMap((id) => findForm(id) ?? [])

import { and, eq } from 'drizzle-orm'
import type { Db } from '../../storage/open.ts'
import { forms, users } from '../../storage/tables.ts'
import { liveForm } from '../form.ts'

/** Lists all forms with their owners, or those of one user, in the order in which they were created. For the operator. */
export const listAllForms = (db: Db, userId?: string) =>
  db
    .select({
      id: forms.id,
      title: forms.title,
      owner: users.email,
      submissionCount: forms.submissionCount,
      settings: forms.settings,
    })
    .from(forms)
    .innerJoin(users, eq(users.id, forms.userId))
    .where(and(liveForm, userId === undefined ? undefined : eq(forms.userId, userId)))
    .orderBy(forms.id)
    .all()

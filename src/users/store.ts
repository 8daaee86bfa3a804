import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, keys, users } from '../db/tables.ts'
import { liveForm } from '../forms/ownership.ts'

export const hasUsers = (db: Db): boolean => db.select({ id: users.id }).from(users).limit(1).get() !== undefined

/** @param email in lower case */
export const findUser = (db: Db, email: string) => db.select().from(users).where(eq(users.email, email)).get()

export const listUsers = (db: Db) =>
  db
    .select({ id: users.id, email: users.email, formCount: users.formCount, disabledAt: users.disabledAt })
    .from(users)
    .orderBy(users.id)
    .all()

/** What `deleteUser` would take away. */
export const countBelongings = (db: Db, userId: string): { forms: number; submissions: number; keys: number } => {
  const ofForms = db
    .select({ forms: sql<number>`count(*)`, submissions: sql<number>`coalesce(sum(${forms.submissionCount}), 0)` })
    .from(forms)
    .where(and(eq(forms.userId, userId), liveForm))
    .get()
  const ofKeys = db.select({ keys: sql<number>`count(*)` }).from(keys).where(eq(keys.userId, userId)).get()
  return { forms: ofForms?.forms ?? 0, submissions: ofForms?.submissions ?? 0, keys: ofKeys?.keys ?? 0 }
}

import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { liveForm } from '../../forms/form.ts'
import { type Db, hasRows } from '../../storage/open.ts'
import { forms, identities, keys, param, secondFactors, users } from '../../storage/tables.ts'

export type UserReads = ReturnType<typeof userReads>

/** The users by whose invitation others have an account. */
export const inviters = alias(users, 'inviters')

/** Reads of users, for the server's store and the commands. */
export const userReads = (db: Db) => {
  const byEmail = db
    .select()
    .from(users)
    .where(eq(users.email, param('email')))
    .prepare()
  const byId = db
    .select()
    .from(users)
    .where(eq(users.id, param('id')))
    .prepare()

  return {
    hasUsers: hasRows(db, users),

    /** @param email in lower case */
    findUser: (email: string) => byEmail.get({ email }),

    findUserById: (id: string) => byId.get({ id }),

    /** Lists all users in the order in which they were created. */
    listUsers: () =>
      db
        .select({
          ...listedUser(db),
          /** Address of the user by whose invitation an account was made that is not proved; null if that user was deleted. */
          invitedBy: inviters.email,
        })
        .from(users)
        .leftJoin(inviters, eq(inviters.id, users.invitedBy))
        .orderBy(users.id)
        .all(),

    countUsers: (): number => db.select({ count: sql<number>`count(*)` }).from(users).get()?.count ?? 0,

    /** Counts what `deleteUser` would delete. */
    countBelongings(userId: string): { forms: number; submissions: number; keys: number } {
      const ofForms = db
        .select({ forms: sql<number>`count(*)`, submissions: sql<number>`coalesce(sum(${forms.submissionCount}), 0)` })
        .from(forms)
        .where(and(eq(forms.userId, userId), liveForm))
        .get()
      const ofKeys = db.select({ keys: sql<number>`count(*)` }).from(keys).where(eq(keys.userId, userId)).get()
      return { forms: ofForms?.forms ?? 0, submissions: ofForms?.submissions ?? 0, keys: ofKeys?.keys ?? 0 }
    },
  }
}

/** What both lists of users have of each: that of the command, and that of the page of the server. */
export const listedUser = (db: Db) => ({
  id: users.id,
  email: users.email,
  formCount: users.formCount,
  disabledAt: users.disabledAt,
  hasSecondFactor: hasAny(db, secondFactors),
  isConnected: hasAny(db, identities),
  isProved: users.isProved,
  isOperator: users.isOperator,
})

/** Whether a user has rows of a table. */
const hasAny = (db: Db, table: typeof secondFactors | typeof identities) =>
  sql<number>`exists ${db.select({ id: table.userId }).from(table).where(eq(table.userId, users.id))}`.mapWith(Boolean)

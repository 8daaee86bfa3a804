import { eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { users } from '../db/tables.ts'
import { UsageError } from '../errors.ts'

export interface NewUser {
  readonly id: string
  /** In lower case. */
  readonly email: string
  readonly passwordHash: string
}

export const accountWrites = (db: Db) => ({
  /** @throws UsageError when the address is taken */
  createUser(user: NewUser): void {
    const taken = findUser(db, user.email)
    if (taken) throw new UsageError(`there is already a user ${user.email}`)
    db.insert(users).values(user).run()
  },
})

export const findUser = (db: Db, email: string) => db.select().from(users).where(eq(users.email, email)).get()

export const listUsers = (db: Db) =>
  db.select({ id: users.id, email: users.email, formCount: users.formCount }).from(users).orderBy(users.id).all()

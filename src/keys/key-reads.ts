import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { keys, param, users } from '../db/tables.ts'

/** What is known of a key. Its value is not stored. */
export type Key = ReturnType<ReturnType<typeof keyReads>['listKeys']>[number]

/** What the server's store and the commands read of keys. */
export const keyReads = (db: Db) => {
  const ofUser = eq(keys.userId, param('userId'))
  const listOfUser = select(db).where(ofUser).orderBy(keys.id).prepare()
  const ofUserById = select(db)
    .where(and(ofUser, eq(keys.id, param('id'))))
    .prepare()

  return {
    /** The keys of a user, or of all users, in the order in which they were created. */
    listKeys: (userId?: string) =>
      userId === undefined ? select(db).orderBy(keys.id).all() : listOfUser.all({ userId }),

    findKey: (userId: string, id: string) => ofUserById.get({ userId, id }),
  }
}

const select = (db: Db) =>
  db
    .select({
      id: keys.id,
      /** Of the user. */
      email: users.email,
      name: keys.name,
      start: keys.start,
      isReadOnly: keys.isReadOnly,
      expiresAt: keys.expiresAt,
      lastUsedAt: keys.lastUsedAt,
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))

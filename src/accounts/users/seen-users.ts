import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../storage/open.ts'
import { members, param, sessions, users } from '../../storage/tables.ts'
import { lastUsedAt } from '../sessions/store.ts'
import { listedUser } from './user-reads.ts'

/** A user as the page of the server lists them. */
export type SeenUser = ReturnType<ReturnType<typeof seenUsers>>[number]

/** Lists the first of all users for the page of the server: what they have, and nothing of what is in it. */
export const seenUsers = (db: Db) => {
  const firstUsers = db
    .select({
      ...listedUser(db),
      sharedCount: sql<number>`(${db
        .select({ count: sql`count(*)` })
        .from(members)
        .where(eq(members.userId, users.id))})`,
      hasPassword: users.hasPassword,
      /** Null if there is no session. */
      lastSeenAt: sql`(${db
        .select({ at: sql`max(${sessions.expiresAt})` })
        .from(sessions)
        .where(eq(sessions.userId, users.id))})`.mapWith(lastUsedAt) as SQL<number | null>,
    })
    .from(users)
    .orderBy(users.id)
    .limit(param('limit'))
    .prepare()
  return (limit: number) => firstUsers.all({ limit })
}

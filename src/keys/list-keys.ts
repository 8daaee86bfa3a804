import { eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { keys, users } from '../db/tables.ts'

/** The keys in the order in which they were made, with their owners' addresses. */
export const listKeys = (db: Db, email?: string) =>
  db
    .select({
      id: keys.id,
      email: users.email,
      name: keys.name,
      start: keys.start,
      isReadOnly: keys.isReadOnly,
      expiresAt: keys.expiresAt,
      lastUsedAt: keys.lastUsedAt,
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))
    .where(email === undefined ? undefined : eq(users.email, email))
    .orderBy(keys.id)
    .all()

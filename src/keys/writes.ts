import { eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { keys, users } from '../db/tables.ts'
import { AppError } from '../errors.ts'

export interface NewKey {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly hash: string
  readonly start: string
  readonly isReadOnly: boolean
  readonly expiresAt: number | null
}

export type KeyWrites = ReturnType<typeof keyWrites>

export const keyWrites = (db: Db) => ({
  createKey(key: NewKey): void {
    db.insert(keys).values(key).run()
  },

  /** @throws AppError `not_found` */
  revokeKey({ id }: { id: string }): void {
    const revoked = db.delete(keys).where(eq(keys.id, id)).returning({ id: keys.id }).all()
    if (revoked.length === 0) throw new AppError('not_found', 'Key not found')
  },
})

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
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))
    .where(email === undefined ? undefined : eq(users.email, email))
    .orderBy(keys.id)
    .all()

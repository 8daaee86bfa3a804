import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { keys } from '../db/tables.ts'
import { notFound } from '../errors.ts'

interface NewKey {
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

  /** @throws AppError `not_found`, also when `userId` is given and the key is not that user's */
  revokeKey({ id, userId }: { id: string; userId?: string }): void {
    const isOwn = userId === undefined ? undefined : eq(keys.userId, userId)
    const revoked = db
      .delete(keys)
      .where(and(eq(keys.id, id), isOwn))
      .returning({ id: keys.id })
      .all()
    if (revoked.length === 0) throw notFound('Key')
  },

  /** Identifiers of keys, and when each was used: Unix time in milliseconds. */
  noteKeysUsed(input: { keys: readonly (readonly [id: string, at: number])[] }): void {
    for (const [id, lastUsedAt] of input.keys) db.update(keys).set({ lastUsedAt }).where(eq(keys.id, id)).run()
  },
})

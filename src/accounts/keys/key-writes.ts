import { and, eq, gt, isNull, lt, or } from 'drizzle-orm'
import { dayMilliseconds } from '../../base/durations.ts'
import { notFound } from '../../base/errors.ts'
import { creationTime } from '../../base/id.ts'
import { accessIn } from '../../forms/access.ts'
import { formReader } from '../../forms/form.ts'
import { trailWrites } from '../../forms/trail.ts'
import type { Db } from '../../storage/open.ts'
import { keys, sessions, sheets } from '../../storage/tables.ts'
import { accountChanged } from '../users/account-changed.ts'

interface KeyToStore {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly hash: string
  readonly start: string
  readonly isReadOnly: boolean
  readonly expiresAt: number | null
  /** Identifiers of the forms that it is limited to; null or absent for all. */
  readonly forms?: readonly string[] | null
  /** The hash of the session that creates it; absent where a command does. */
  readonly session?: string
}

export type KeyWrites = ReturnType<typeof keyWrites>

export const keyWrites = (db: Db) => ({
  /** @throws AppError `unauthenticated` if the session has ended */
  createKey({ session, forms, ...key }: KeyToStore): void {
    if (session !== undefined && !hasSession(db, key.userId, session)) throw accountChanged()
    db.insert(keys)
      .values({ ...key, forms: forms ? JSON.stringify(forms) : null })
      .run()
    const note = trailWrites(db)
    const findForm = formReader(db)
    const { mayDo } = accessIn(db)
    for (const id of forms ?? []) {
      const form = findForm(id)
      if (form && mayDo(key.userId, form, 'read'))
        note(form.number, { userId: key.userId, at: creationTime(key.id), what: 'key', detail: key.name })
    }
  },

  /** @throws AppError `not_found`, also if `userId` is given and the key belongs to another user */
  revokeKey({ id, userId }: { id: string; userId?: string }): void {
    const isOwn = userId === undefined ? undefined : eq(keys.userId, userId)
    const revoked = db
      .delete(keys)
      .where(and(eq(keys.id, id), isOwn))
      .returning({ id: keys.id })
      .all()
    if (revoked.length === 0) throw notFound('Key')
  },

  /** @param input identifiers of keys and of sheets, and when each was used, in Unix milliseconds */
  noteKeysUsed(input: { keys: readonly (readonly [id: string, at: number])[] }): void {
    for (const [id, lastUsedAt] of input.keys)
      for (const table of [keys, sheets])
        db.update(table)
          .set({ lastUsedAt })
          .where(and(eq(table.id, id), isOlder(table, lastUsedAt)))
          .run()
  },
})

/** Machines of a cluster may write late. What lies a day ahead was written while a clock was wrong. */
const isOlder = ({ lastUsedAt }: Pick<typeof keys, 'lastUsedAt'> | Pick<typeof sheets, 'lastUsedAt'>, usedAt: number) =>
  or(isNull(lastUsedAt), lt(lastUsedAt, usedAt), gt(lastUsedAt, usedAt + dayMilliseconds))

const hasSession = (db: Db, userId: string, hash: string): boolean =>
  db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.hash, hash)))
    .get() !== undefined

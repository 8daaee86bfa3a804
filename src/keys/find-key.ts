import { and, eq, isNull } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { keys, param, users } from '../db/tables.ts'
import { hashKey } from './token.ts'

/** Whom a key speaks for, and what it may do. */
export interface Caller {
  readonly keyId: string
  readonly userId: string
  readonly isReadOnly: boolean
}

interface KnownKey extends Caller {
  readonly expiresAt: number | null
}

/**
 * Who calls with this key, or null when it is unknown, revoked or past its expiry, or when its user is disabled. A key
 * that `formbox key revoke` removes is refused from the next request on.
 */
export const openKeyFinder = (
  reader: Reader,
  now: () => number,
  onUse: (keyId: string) => void,
): ((key: string) => Caller | null) => {
  const byHash = reader.db
    .select({ keyId: keys.id, userId: keys.userId, isReadOnly: keys.isReadOnly, expiresAt: keys.expiresAt })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))
    .where(and(eq(keys.hash, param('hash')), isNull(users.disabledAt)))
    .prepare()
  const findByHash = reader.remembering<KnownKey>((hash) => byHash.get({ hash }))

  return (key) => {
    const found = findByHash(hashKey(key))
    if (!found) return null
    if (found.expiresAt !== null && now() >= found.expiresAt) return null
    onUse(found.keyId)
    return found
  }
}

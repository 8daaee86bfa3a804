import { eq } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { keys, param } from '../db/tables.ts'
import type { Caller } from '../http/guard.ts'
import { hashKey } from './token.ts'

interface KnownKey extends Caller {
  readonly expiresAt: number | null
}

const maxKnown = 10_000

/**
 * Who calls with this key, or null when it is unknown, revoked or past its expiry. Keys that were found are remembered
 * until anything is committed, by this process or another: a key that `formbox key revoke` removes is refused from
 * the next request on.
 */
export const openKeyFinder = (reader: Reader, now: () => number): ((key: string) => Caller | null) => {
  const byHash = reader.db
    .select({ keyId: keys.id, userId: keys.userId, isReadOnly: keys.isReadOnly, expiresAt: keys.expiresAt })
    .from(keys)
    .where(eq(keys.hash, param('hash')))
    .prepare()
  const known = new Map<string, KnownKey>()
  let knownAt = -1

  return (key) => {
    const version = reader.dataVersion()
    if (version !== knownAt || known.size >= maxKnown) known.clear()
    knownAt = version
    const hash = hashKey(key)
    const found = known.get(hash) ?? byHash.get({ hash })
    if (!found) return null
    known.set(hash, found)
    return found.expiresAt === null || now() < found.expiresAt ? found : null
  }
}

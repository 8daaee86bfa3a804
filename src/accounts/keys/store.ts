import { and, eq, isNull } from 'drizzle-orm'
import { forbidden, notFound } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { keys, param, users } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { hashKey, newKey } from './key-rules.ts'
import type { KeyWrites } from './key-writes.ts'
import type { LastUsed } from './last-used.ts'

/** The user for whom a key speaks, and its limits. */
export interface Caller {
  readonly keyId: string
  readonly userId: string
  readonly isReadOnly: boolean
  /** Identifiers of the forms that the key is limited to; null if it is for all that its user may see. */
  readonly forms: ReadonlySet<string> | null
  /** The key's hash. */
  readonly hash: string
}

/** @throws AppError `forbidden` if the key of the caller is not for all of these forms */
export const refuseOtherForms = ({ forms }: Pick<Caller, 'forms'>, ids: readonly string[]): void => {
  if (forms && !ids.every((id) => forms.has(id))) throw forbidden()
}

interface KnownKey extends Caller {
  readonly expiresAt: number | null
}

interface NewKey {
  readonly name: string
  readonly isReadOnly: boolean
  /** Identifiers of the forms that it is limited to; null for all. */
  readonly forms: readonly string[] | null
  /** The first millisecond at which it no longer works. */
  readonly expiresAt: number | null
}

export type KeyStore = ReturnType<typeof openKeyStore>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<KeyWrites>
  readonly lastUsed: LastUsed
  readonly now: () => number
}

/** The server's use of keys. Commands use `keyReads` and `keyWrites` instead: they need no running server. */
export const openKeyStore = ({ reader, writer, lastUsed, now }: Options) => {
  const reads = keyReads(reader.db)
  const findByHash = reader.remembering(callerFinder(reader.db))
  const findLive = (hash: string): Caller | null => {
    const found = findByHash(hash)
    return found && (found.expiresAt === null || now() < found.expiresAt) ? found : null
  }

  return {
    /**
     * Finds who calls with this key. Null if it is unknown, revoked or past its expiry, or if its user is disabled. A key
     * that `formbox key revoke` removes is refused from the next request on.
     */
    findCaller(key: string): Caller | null {
      const found = findLive(hashKey(key))
      if (found) lastUsed.note(found.keyId)
      return found
    },

    /** Whether the key of a caller who was found earlier still works. */
    isLive: ({ hash }: Caller): boolean => findLive(hash) !== null,

    /** In the order in which they were created. */
    listKeys: (userId: string): Key[] =>
      reads.listKeys(userId).map((key) => ({ ...key, lastUsedAt: lastUsed.latest(key.id, key.lastUsedAt) })),

    /** @throws AppError `not_found` if the user has no such key */
    findKey(userId: string, id: string): Key {
      const key = reads.findKey(userId, id)
      if (!key) throw notFound('Key')
      return key
    },

    /**
     * @param session the hash of the session that creates it
     * @returns its identifier and its value, which is not stored
     * @throws AppError `unauthenticated` if the session has ended
     */
    async createKey(userId: string, session: string, key: NewKey): Promise<{ id: string; value: string }> {
      const { value, hash, start } = newKey()
      const id = newId(now())
      await writer.run('createKey', { ...key, id, userId, session, hash, start })
      return { id, value }
    },

    /** @throws AppError `not_found` if the user has no such key */
    revokeKey: (userId: string, id: string): Promise<void> => writer.run('revokeKey', { id, userId }),
  }
}

const callerFinder = (db: Db): ((hash: string) => KnownKey | undefined) => {
  const byHash = db
    .select({
      keyId: keys.id,
      userId: keys.userId,
      isReadOnly: keys.isReadOnly,
      hash: keys.hash,
      expiresAt: keys.expiresAt,
      forms: keys.forms,
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))
    .where(and(eq(keys.hash, param('hash')), isNull(users.disabledAt)))
    .prepare()
  return (hash) => {
    const found = byHash.get({ hash })
    return found && { ...found, forms: found.forms === null ? null : new Set(JSON.parse(found.forms)) }
  }
}

/** A key without its value, which is not stored. */
export type Key = ReturnType<ReturnType<typeof keyReads>['listKeys']>[number]

/** Reads of keys, for the server's store and the commands. */
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
      /** The user's address. */
      email: users.email,
      name: keys.name,
      start: keys.start,
      isReadOnly: keys.isReadOnly,
      expiresAt: keys.expiresAt,
      lastUsedAt: keys.lastUsedAt,
      /** JSON array of identifiers, or null. */
      forms: keys.forms,
    })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))

import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { hourMilliseconds } from '../../base/durations.ts'
import { sha256 } from '../../base/hash.ts'
import { newId } from '../../base/id.ts'
import { newToken } from '../../base/token.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { param, sessions, users } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Proof } from '../users/second-factor-writes.ts'
import type { SessionWrites } from './session-writes.ts'

/** A user who is signed in. */
export interface Session {
  readonly id: string
  readonly hash: string
  readonly userId: string
  readonly email: string
  readonly isOperator: boolean
  readonly expiresAt: number
}

/** One of the sessions of a user, for the list of them. */
export interface ListedSession {
  readonly id: string
  readonly browser: string
  /** When it was last used, to the hour. */
  readonly lastUsedAt: number
}

interface NewSession extends Proof {
  /** In words, such as `Firefox on Linux`. */
  readonly browser: string
  /** The token of a session that the new one replaces. */
  readonly replaced: string | undefined
}

export type SessionStore = ReturnType<typeof openSessionStore>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<SessionWrites>
  readonly now: () => number
}

export const sessionLifetimeSeconds = 30 * 24 * 60 * 60
/** When a session was last used. @param expiresAt when it ends, Unix milliseconds */
export const lastUsedAt = (expiresAt: number): number => expiresAt - sessionLifetimeSeconds * 1000
/** A session in use is extended once an hour at most: looking at a page should not be a write. */
const extendAfterMilliseconds = hourMilliseconds

const maxListed = 50

/** A session is a random token, of which only the hash is stored. */
export const openSessionStore = ({ reader, writer, now }: Options) => {
  const expiry = () => now() + sessionLifetimeSeconds * 1000
  const { byHash, countOfUser, ofUser } = liveSessions(reader.db)
  const remembered = reader.remembering((hash) => byHash.get({ hash }))
  const findLive = (hash: string): Session | undefined => {
    const found = remembered(hash)
    return found && found.expiresAt > now() ? found : undefined
  }

  return {
    /** Undefined if the token is unknown, the session has ended or the user is disabled. */
    findSession: (token: string): Session | undefined => findLive(hashToken(token)),

    /** Whether a session that was found earlier goes on. */
    isLive: ({ hash }: Session): boolean => findLive(hash) !== undefined,

    countSessions: (userId: string): number => countOfUser.get({ userId, now: now() })?.count ?? 0,

    /** Lists the user's, those used last first, up to 50. */
    listSessions: (userId: string): readonly ListedSession[] =>
      ofUser.all({ userId, now: now() }).map(({ expiresAt, ...session }) => ({
        ...session,
        lastUsedAt: lastUsedAt(expiresAt),
      })),

    async startSession({ replaced, ...input }: NewSession) {
      const token = newToken()
      const hash = hashToken(token)
      const times = { expiresAt: expiry(), now: now() }
      const started = await writer.run('startSession', { ...input, id: newId(now()), hash, ...times })
      if (started.state !== 'started') return started
      if (replaced !== undefined) await writer.run('endSession', { hash: hashToken(replaced) })
      return { ...started, token, hash }
    },

    /** Moves the end of a session that is in use, unless that was done within the last hour. Returns whether it did. */
    async extendSession({ hash, expiresAt }: Session): Promise<boolean> {
      if (expiresAt > expiry() - extendAfterMilliseconds) return false
      await writer.run('extendSession', { hash, expiresAt: expiry(), now: now() })
      return true
    },

    endSession: ({ hash }: Session): Promise<void> => writer.run('endSession', { hash }),

    /** Ends one of the user's. */
    endSessionOfUser: (userId: string, id: string): Promise<void> => writer.run('endSessionOfUser', { userId, id }),

    /** Ends every session of the user. */
    endSessions: (userId: string): Promise<void> => writer.run('endSessions', { userId }),

    /** Ends all of the user but this one. */
    endOtherSessions: ({ userId, hash }: Session): Promise<void> => writer.run('endSessions', { userId, except: hash }),
  }
}

const liveSessions = (db: Db) => {
  const isEnabled = isNull(users.disabledAt)
  const isLive = and(gt(sessions.expiresAt, param('now')), isEnabled)
  const byHash = db
    .select({
      id: sessions.id,
      hash: sessions.hash,
      userId: users.id,
      email: users.email,
      isOperator: users.isOperator,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.hash, param('hash')), isEnabled))
    .prepare()
  const countOfUser = db
    .select({ count: sql<number>`count(*)` })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, param('userId')), isLive))
    .prepare()
  const ofUser = db
    .select({ id: sessions.id, browser: sessions.browser, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, param('userId')), isLive))
    .orderBy(desc(sessions.expiresAt))
    .limit(maxListed)
    .prepare()
  return { byHash, countOfUser, ofUser }
}

/** SHA-256 in hexadecimal. Only passwords need a slow hash; a token has 256 random bits. */
const hashToken = (token: string): string => sha256(token, 'hex')

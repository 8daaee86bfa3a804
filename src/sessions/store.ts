import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import type { Reader } from '../db/reader.ts'
import { param, sessions, users } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import { hourMilliseconds } from '../durations.ts'
import { sha256 } from '../hash.ts'
import type { SessionWrites } from './session-writes.ts'

/** A user who is signed in. */
export interface Session {
  readonly hash: string
  readonly userId: string
  readonly email: string
  readonly expiresAt: number
}

interface NewSession {
  readonly userId: string
  /** The hash that the password was checked against. */
  readonly passwordHash: string
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
/** A session in use is extended once an hour at most: looking at a page should not be a write. */
const extendAfterMilliseconds = hourMilliseconds

/** A session is a random token, of which only the hash is stored. */
export const openSessionStore = ({ reader, writer, now }: Options) => {
  const expiry = () => now() + sessionLifetimeSeconds * 1000
  const { byHash, countOfUser } = liveSessions(reader.db)

  return {
    /** Undefined if the token is unknown, the session has ended or the user is disabled. */
    findSession: (token: string): Session | undefined => byHash.get({ hash: hashToken(token), now: now() }),

    /** Whether a session that was found earlier goes on. */
    isLive: ({ hash }: Session): boolean => byHash.get({ hash, now: now() }) !== undefined,

    countSessions: (userId: string): number => countOfUser.get({ userId, now: now() })?.count ?? 0,

    /** @throws AppError `unauthenticated` if the user was disabled or got another password after the check */
    async startSession({ userId, passwordHash, replaced }: NewSession): Promise<{ token: string; hash: string }> {
      const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
      const hash = hashToken(token)
      await writer.run('startSession', { hash, userId, passwordHash, expiresAt: expiry(), now: now() })
      if (replaced !== undefined) await writer.run('endSession', { hash: hashToken(replaced) })
      return { token, hash }
    },

    /** Moves the end of a session that is in use, unless that was done within the last hour. Returns whether it did. */
    async extendSession({ hash, expiresAt }: Session): Promise<boolean> {
      if (expiresAt > expiry() - extendAfterMilliseconds) return false
      await writer.run('extendSession', { hash, expiresAt: expiry(), now: now() })
      return true
    },

    endSession: ({ hash }: Session): Promise<void> => writer.run('endSession', { hash }),

    /** Ends every session of the user. */
    endSessions: (userId: string): Promise<void> => writer.run('endSessions', { userId }),

    /** Ends all of the user but this one. */
    endOtherSessions: ({ userId, hash }: Session): Promise<void> => writer.run('endSessions', { userId, except: hash }),
  }
}

const liveSessions = (db: Db) => {
  const isLive = and(gt(sessions.expiresAt, param('now')), isNull(users.disabledAt))
  const byHash = db
    .select({ hash: sessions.hash, userId: users.id, email: users.email, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.hash, param('hash')), isLive))
    .prepare()
  const countOfUser = db
    .select({ count: sql<number>`count(*)` })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, param('userId')), isLive))
    .prepare()
  return { byHash, countOfUser }
}

/** SHA-256 in hexadecimal. Only passwords need a slow hash; a token has 256 random bits. */
const hashToken = (token: string): string => sha256(token, 'hex')

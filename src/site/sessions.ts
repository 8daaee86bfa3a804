import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { param, sessions, users } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import type { SessionWrites } from '../sessions/session-writes.ts'
import { defineCookie } from './cookie.ts'
import type { Devices } from './devices.ts'

/** Somebody who is signed in. */
export interface Session {
  readonly hash: string
  readonly userId: string
  readonly email: string
  readonly expiresAt: number
}

export type Sessions = ReturnType<typeof openSessions>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<SessionWrites>
  readonly devices: Devices
  readonly now: () => number
  /** Whether browsers come over https only. */
  readonly isSecure: boolean
}

const lifetimeSeconds = 30 * 24 * 60 * 60
/** A session in use is extended at most so often: looking at a page should not be a write. */
const extendAfterMilliseconds = 60 * 60 * 1000

/** Sessions of browsers: a random token in a cookie, of which only the hash is stored. */
export const openSessions = ({ reader, writer, devices, now, isSecure }: Options) => {
  const cookie = defineCookie({ name: 'formbox_session', shape: /^[\w-]{43}$/, lifetimeSeconds, isSecure })
  const expiry = () => now() + lifetimeSeconds * 1000
  const isLive = and(gt(sessions.expiresAt, param('now')), isNull(users.disabledAt))
  const byHash = reader.db
    .select({ hash: sessions.hash, userId: users.id, email: users.email, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.hash, param('hash')), isLive))
    .prepare()
  const countOfUser = reader.db
    .select({ count: sql<number>`count(*)` })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, param('userId')), isLive))
    .prepare()

  return {
    find(request: Request): Session | null {
      const token = cookie.read(request)
      return (token !== undefined && byHash.get({ hash: hashToken(token), now: now() })) || null
    },

    /**
     * Signs in, and ends the session that the browser had before. Returns the cookies to set.
     *
     * @throws AppError `unauthenticated` when the user was disabled or got another password since it was checked
     */
    async start(request: Request, userId: string, passwordHash: string): Promise<string[]> {
      const before = cookie.read(request)
      const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
      const hash = hashToken(token)
      await writer.run('startSession', { hash, userId, passwordHash, expiresAt: expiry(), now: now() })
      if (before !== undefined) await writer.run('endSession', { hash: hashToken(before) })
      return [cookie.set(token), devices.remember({ userId, hash }, passwordHash)]
    },

    /** Moves the end of a session that is in use; returns the cookies to set, none when it is not time yet. */
    async extend(request: Request, session: Session): Promise<string[]> {
      const token = cookie.read(request)
      if (token === undefined || session.expiresAt > expiry() - extendAfterMilliseconds) return []
      await writer.run('extendSession', { hash: session.hash, expiresAt: expiry(), now: now() })
      return [cookie.set(token), devices.renew(session)].filter((header) => header !== null)
    },

    /** Returns the cookie that removes the cookie. */
    async end(session: Session): Promise<string> {
      await writer.run('endSession', { hash: session.hash })
      return cookie.removal
    },

    async endAll(session: Session): Promise<string> {
      await writer.run('endSessions', { userId: session.userId })
      return cookie.removal
    },

    count: (userId: string): number => countOfUser.get({ userId, now: now() })?.count ?? 0,
  }
}

/** A slow hash would guard a password; 256 random bits need none. */
const hashToken = (token: string): string => new Bun.CryptoHasher('sha256').update(token).digest('hex')

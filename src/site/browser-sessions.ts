import { browserOf } from '../accounts/sessions/browser-name.ts'
import { type Devices, deviceLifetimeSeconds, deviceTokenShape } from '../accounts/sessions/devices.ts'
import { type Session, type SessionStore, sessionLifetimeSeconds } from '../accounts/sessions/store.ts'
import { accountChanged } from '../accounts/users/account-changed.ts'
import type { Proof } from '../accounts/users/second-factor-writes.ts'
import { AppError } from '../base/errors.ts'
import { defineCookie } from '../http/cookies.ts'
import type { UserVisit } from './visit.ts'

export type BrowserSessions = ReturnType<typeof openBrowserSessions>

interface Options {
  readonly sessions: SessionStore
  readonly devices: Devices
  readonly publicUrl: string | null
}

/**
 * The sessions of browsers, whose tokens are in cookies. A function that changes one returns the `Set-Cookie` headers to
 * send.
 */
export const openBrowserSessions = ({ sessions, devices, publicUrl }: Options) => {
  const session = defineCookie({
    name: 'formbox_session',
    shape: /^[\w-]{43}$/,
    lifetimeSeconds: sessionLifetimeSeconds,
    publicUrl,
  })
  const device = defineCookie({
    name: 'formbox_device',
    shape: deviceTokenShape,
    lifetimeSeconds: deviceLifetimeSeconds,
    publicUrl,
  })

  /** Signs in, and ends the session that the browser had before. */
  const tryStart = async (request: Request, proof: Proof) => {
    const replaced = session.read(request)
    const browser = browserOf(request.headers.get('user-agent') ?? '')
    const started = await sessions.startSession({ ...proof, browser, replaced })
    if (started.state !== 'started') return started
    const { token, hash } = started
    return {
      state: started.state,
      cookies: [
        session.set(request, token),
        device.set(request, devices.toToken({ userId: proof.userId, hash }, proof.passwordHash)),
        ...session.removeOldest(request),
        ...device.removeOldest(request),
      ],
    }
  }

  return {
    find(request: Request): Session | undefined {
      const token = session.read(request)
      return token === undefined ? undefined : sessions.findSession(token)
    },

    isLive: (found: Session): boolean => sessions.isLive(found),

    findDevice(request: Request): ReturnType<Devices['findDevice']> {
      const token = device.read(request)
      return token === undefined ? null : devices.findDevice(token)
    },

    count: (userId: string): number => sessions.countSessions(userId),
    list: (userId: string) => sessions.listSessions(userId),

    tryStart,

    /** Starts a session without a code. @throws AppError `unauthenticated` if the account was changed after the check */
    async start(request: Request, user: Proof): Promise<string[]> {
      const started = await tryStart(request, user)
      if (started.state !== 'started') throw accountChanged()
      return started.cookies
    },

    /** Extends a session that is in use. Returns no headers while it is too early for that. */
    async extend(request: Request, current: Session): Promise<string[]> {
      const token = session.read(request)
      if (token === undefined || !(await sessions.extendSession(current))) return []
      const deviceToken = devices.renewToken(current)
      return [session.set(request, token), ...(deviceToken === null ? [] : [device.set(request, deviceToken)])]
    },

    /** Makes the browser a known device again, after the password of its account was changed in it. */
    renewDevice: (request: Request, current: Session, passwordHash: string): string =>
      device.set(request, devices.toToken(current, passwordHash)),

    async end(request: Request, current: Session): Promise<string> {
      await sessions.endSession(current)
      return session.remove(request)
    },

    /** Ends one of the user's, by its identifier. */
    endOne: ({ userId }: Session, id: string): Promise<void> => sessions.endSessionOfUser(userId, id),

    endOthers: (current: Session): Promise<void> => sessions.endOtherSessions(current),

    /** Ends all sessions of the user. */
    async endAll(request: Request, { userId }: Session): Promise<string> {
      await sessions.endSessions(userId)
      return session.remove(request)
    },
  }
}

/** A reader of many submissions: until the session ends, or no one waits any more. */
export const searcherOf = (
  sessions: Pick<BrowserSessions, 'isLive'>,
  { session, request }: Pick<UserVisit, 'session' | 'request'>,
) => ({
  userId: session.userId,
  forms: null,
  signal: request.signal,
  checkAccess(): void {
    if (!sessions.isLive(session)) throw new AppError('unauthenticated', 'Your session has ended')
  },
})

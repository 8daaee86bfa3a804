import { type Devices, deviceLifetimeSeconds, deviceTokenShape } from '../sessions/devices.ts'
import { type Session, type SessionStore, sessionLifetimeSeconds } from '../sessions/store.ts'
import { defineCookie } from './cookie.ts'

export type BrowserSessions = ReturnType<typeof openBrowserSessions>

interface Options {
  readonly sessions: SessionStore
  readonly devices: Devices
  /** Whether browsers use https only. */
  readonly isSecure: boolean
}

/** The sessions of browsers, whose tokens are in cookies. What changes one returns the `Set-Cookie` headers to send. */
export const openBrowserSessions = ({ sessions, devices, isSecure }: Options) => {
  const session = defineCookie({
    name: 'formbox_session',
    shape: /^[\w-]{43}$/,
    lifetimeSeconds: sessionLifetimeSeconds,
    isSecure,
  })
  const device = defineCookie({
    name: 'formbox_device',
    shape: deviceTokenShape,
    lifetimeSeconds: deviceLifetimeSeconds,
    isSecure,
  })

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

    /**
     * Signs in, and ends the session that the browser had before.
     *
     * @throws AppError `unauthenticated` if the user was disabled or got another password after the check
     */
    async start(request: Request, userId: string, passwordHash: string): Promise<string[]> {
      const replaced = session.read(request)
      const { token, hash } = await sessions.startSession({ userId, passwordHash, replaced })
      return [session.set(token), device.set(devices.toToken({ userId, hash }, passwordHash))]
    },

    /** Extends a session that is in use. Returns no headers while it is too early for that. */
    async extend(request: Request, current: Session): Promise<string[]> {
      const token = session.read(request)
      if (token === undefined || !(await sessions.extendSession(current))) return []
      const deviceToken = devices.renewToken(current)
      return [session.set(token), ...(deviceToken === null ? [] : [device.set(deviceToken)])]
    },

    /** Keeps the browser a known device of an account whose password was changed in it. */
    keepDevice: (current: Session, passwordHash: string): string => device.set(devices.toToken(current, passwordHash)),

    async end(current: Session): Promise<string> {
      await sessions.endSession(current)
      return session.removal
    },

    /** Ends all sessions of the user. */
    async endAll({ userId }: Session): Promise<string> {
      await sessions.endSessions(userId)
      return session.removal
    },
  }
}

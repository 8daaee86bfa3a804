import { eq } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { param, users } from '../db/tables.ts'
import { secureCompare } from '../secure-compare.ts'
import { defineCookie } from './cookie.ts'

/** A browser in which an account has signed in before. */
interface Device {
  readonly id: string
  /** Of the account. */
  readonly email: string
}

export type Devices = ReturnType<typeof openDevices>

interface Options {
  readonly reader: Reader
  readonly now: () => number
  /** Whether browsers come over https only. */
  readonly isSecure: boolean
}

interface SignedIn {
  readonly userId: string
  /** The hash of its session. */
  readonly hash: string
}

/** Sign-in renews it, and so does a session that is in use. */
const lifetimeSeconds = 365 * 24 * 60 * 60

/**
 * Tells the browsers in which an account has signed in before from those of strangers, whose wrong passwords must not
 * keep its owner out: the device cookies of OWASP's "Slow Down Online Guessing Attacks with Device Cookies". Such a
 * cookie lets nobody in. Whoever steals one has ten tries of his own, and can use up those of that browser.
 *
 * It is signed with the hash of the account's password, whose 256 bits of random salt never leave the data file: so
 * nobody can guess the password from a cookie, nothing else has to be stored, and with a new password all browsers are
 * strangers again.
 */
export const openDevices = ({ reader, now, isSecure }: Options) => {
  const shape = /^[0-9a-z]{28}\.\d{13}\.[\w-]{43}\.[\w-]{43}$/
  const cookie = defineCookie({ name: 'formbox_device', shape, lifetimeSeconds, isSecure })
  const userById = reader.db
    .select({ email: users.email, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, param('id')))
    .prepare()

  /** The cookie to set in a browser that is signed in with the password of this hash; the same device each time. */
  const remember = ({ userId, hash }: SignedIn, passwordHash: string): string => {
    const device = new Bun.CryptoHasher('sha256').update(`device ${hash}`).digest('base64url')
    const content = `${userId}.${now() + lifetimeSeconds * 1000}.${device}`
    return cookie.set(`${content}.${sign(content, passwordHash)}`)
  }

  return {
    /** Null for a stranger: without a cookie, or with one that is forged, has expired or is from before a new password. */
    find(request: Request): Device | null {
      const value = cookie.read(request)
      if (value === undefined) return null
      const [userId = '', expiresAt, id = '', signature = ''] = value.split('.')
      if (Number(expiresAt) <= now()) return null
      // By the identifier in the cookie, which nobody can guess, and not by the address that was typed: how long this
      // takes tells nothing about who has an account.
      const user = userById.get({ id: userId })
      const content = value.slice(0, -signature.length - 1)
      return user && secureCompare(signature, sign(content, user.passwordHash)) ? { id, email: user.email } : null
    },

    remember,

    /** As `remember`, with the password that the user has now. */
    renew(session: SignedIn): string | null {
      const user = userById.get({ id: session.userId })
      return user ? remember(session, user.passwordHash) : null
    },
  }
}

const sign = (content: string, passwordHash: string): string =>
  new Bun.CryptoHasher('sha256', passwordHash).update(`formbox_device ${content}`).digest('base64url')

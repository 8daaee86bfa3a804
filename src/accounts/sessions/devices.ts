import { sha256 } from '../../base/hash.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { sign } from '../../storage/secrets/signing-key.ts'
import type { UserReads } from '../users/user-reads.ts'

/** A browser in which an account has signed in before. */
interface Device {
  readonly id: string
  /** The account's address. */
  readonly email: string
  /** When the token was made, in Unix milliseconds. */
  readonly since: number
}

interface SignedIn {
  readonly userId: string
  /** The session's hash. */
  readonly hash: string
}

export type Devices = ReturnType<typeof openDevices>

interface Options {
  readonly users: Pick<UserReads, 'findUserById'>
  readonly now: () => number
}

/** Sign-in renews a token, and so does a session that is in use. */
export const deviceLifetimeSeconds = 365 * 24 * 60 * 60

/**
 * Distinguishes the browsers in which an account has signed in before from those of strangers, whose wrong passwords must not
 * lock its owner out: the device cookies of OWASP's "Slow Down Online Guessing Attacks with Device Cookies". The token of
 * a device signs no one in. A thief of one gets ten attempts, and can use up the attempts of that browser.
 *
 * The token is signed with the hash of the account's password, whose 256 bits of random salt never leave the data file.
 * So no one can guess the password from a token, nothing else has to be stored, and a new password makes all browsers
 * strangers again.
 */
export const openDevices = ({ users, now }: Options) => {
  /** A token for the browser that has this session; the same device each time. */
  const toToken = ({ userId, hash }: SignedIn, passwordHash: string): string => {
    const device = sha256(`device ${hash}`, 'base64url')
    const content = `${userId}.${now() + deviceLifetimeSeconds * 1000}.${device}`
    return `${content}.${sign(passwordHash, 'device', content)}`
  }

  return {
    toToken,

    /** Makes a token as `toToken` does, with the user's current password. Null if there is no such user. */
    renewToken(session: SignedIn): string | null {
      const user = users.findUserById(session.userId)
      return user ? toToken(session, user.passwordHash) : null
    },

    /** Null for a stranger: the token is forged, has expired or is older than the password. */
    findDevice(token: string): Device | null {
      const [userId = '', expiresAt, id = '', signature = ''] = token.split('.')
      if (Number(expiresAt) <= now()) return null
      // By the identifier in the token, which no one can guess, and not by the address that was typed: how long this
      // takes tells nothing about whether there is an account.
      const user = users.findUserById(userId)
      const content = token.slice(0, -signature.length - 1)
      return user && secureCompare(signature, sign(user.passwordHash, 'device', content))
        ? { id, email: user.email, since: Number(expiresAt) - deviceLifetimeSeconds * 1000 }
        : null
    },
  }
}

/** The shape of the token of a device. */
export const deviceTokenShape = /^[0-9a-z]{28}\.\d{13}\.[\w-]{43}\.[\w-]{43}$/

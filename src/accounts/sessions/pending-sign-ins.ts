import { minuteMilliseconds } from '../../base/durations.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { sign } from '../../storage/secrets/signing-key.ts'
import type { UserReads } from '../users/user-reads.ts'

/** A user whose password was right, and who has still to type a code. */
interface PendingSignIn {
  readonly userId: string
  readonly email: string
  readonly passwordHash: string
}

export type PendingSignIns = ReturnType<typeof openPendingSignIns>

interface Options {
  readonly users: Pick<UserReads, 'findUserById'>
  readonly now: () => number
}

const lifetimeMilliseconds = 10 * minuteMilliseconds

/**
 * The state between the password and the code of a second factor: a token that the page sends back with the code. It is
 * signed with the hash of the password, as the token of a device is (see devices.ts): nothing is stored, every machine of a
 * cluster knows it, and it ends with a new password.
 */
export const openPendingSignIns = ({ users, now }: Options) => ({
  toToken({ userId, passwordHash }: Pick<PendingSignIn, 'userId' | 'passwordHash'>): string {
    const content = `${userId}.${now() + lifetimeMilliseconds}`
    return `${content}.${sign(passwordHash, 'second-factor', content)}`
  },

  /** Null if the token is forged, has expired or is older than the password, or the user is disabled. */
  find(token: string): PendingSignIn | null {
    const [userId = '', expiresAt = '', signature = '', ...rest] = token.split('.')
    if (rest.length > 0 || !(Number(expiresAt) > now())) return null
    const user = users.findUserById(userId)
    if (user?.disabledAt !== null) return null
    const { email, passwordHash } = user
    return secureCompare(signature, sign(passwordHash, 'second-factor', `${userId}.${expiresAt}`))
      ? { userId, email, passwordHash }
      : null
  },
})

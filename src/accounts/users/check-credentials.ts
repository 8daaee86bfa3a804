import type { Config } from '../../config/config.ts'
import { parseEmail } from './email.ts'
import { type CountedBy, type FailedAttempts, maxFailures } from './failed-attempts.ts'
import { type Turn, verifyPassword } from './passwords.ts'
import type { UserReads } from './user-reads.ts'

/** Nothing was checked, because too many attempts have failed. */
export interface Wait {
  readonly state: 'wait'
  readonly retryAfterSeconds: number
}

type CheckResult =
  /** The user whose password it was, and the hash against which it was checked. */
  | { readonly state: 'right'; readonly userId: string; readonly passwordHash: string }
  | { readonly state: 'wrong' }
  | Wait

/** Where an attempt comes from. It decides what the attempt is counted by. */
export type Origin =
  | {
      readonly address: string
      /** Has a count of its own if the account has signed in there before. */
      readonly device: { readonly id: string; readonly email: string; readonly since: number } | null
    }
  /** A session has a count of its own: no one else can use it up. */
  | { readonly session: string }

export type CheckCredentials = (email: string, password: string, origin: Origin) => Promise<CheckResult>

interface Options {
  readonly config: Pick<Config, 'onlyProvider'>
  readonly userReads: Pick<UserReads, 'findUser'>
  readonly failedAttempts: FailedAttempts
  readonly now: () => number
}

/**
 * Checks an e-mail address and a password. For an address that no one has, or whose user is disabled, the check takes as
 * long as for a wrong password and has the same result, so that no one learns who has an account. It is the same where a
 * provider alone signs in, and a password only for an hour after the operator has set it, the way back in: the attempt is
 * then counted by its address alone, so that it is not a failure of the account.
 */
export const credentialChecker =
  ({ config: { onlyProvider }, userReads, failedAttempts, now }: Options): CheckCredentials =>
  async (typed, password, origin) => {
    const email = toEmail(typed)
    const isOpen = onlyProvider === null || 'session' in origin
    const findUser = () => {
      const user = email === null ? undefined : userReads.findUser(email)
      return isOpen || (user && user.passwordUntil > now()) ? user : undefined
    }
    const keys = isOpen || findUser() ? countedBy(origin, email ?? typed) : { address: origin.address }
    const attempt = failedAttempts.begin(keys)
    if (!attempt.isAllowed) return { state: 'wait', retryAfterSeconds: attempt.retryAfterSeconds }
    const checkUser = async () => {
      const user = findUser()
      const turn = turnOf(keys.address, attempt.failures)
      const isRight = await verifyPassword(password, user?.passwordHash, turn)
      return isRight && user?.disabledAt === null ? user : undefined
    }
    const user = await checkUser().catch((error) => {
      attempt.takeBack()
      throw error
    })
    if (!user) return { state: 'wrong' }
    attempt.takeBack()
    return { state: 'right', userId: user.id, passwordHash: user.passwordHash }
  }

export const countedBy = (origin: Origin, email: string): CountedBy => {
  if ('session' in origin) return { session: origin.session }
  const { address, device } = origin
  return device?.email === email ? { device: device.id } : { account: email, address }
}

/** Strangers wait for devices and sessions, and those that have failed for the others, so that guessing keeps no one out. */
const turnOf = (address: string | undefined, failures: number): Turn =>
  address === undefined ? { rank: failures } : { rank: maxFailures + failures, network: networkOf(address) }

/** The network of an address: the first 48 bits of IPv6, because a customer may have that many. */
const networkOf = (address: string): string => /^(?:[\da-f]+:){3}/.exec(address)?.[0] ?? address

const toEmail = (typed: string): string | null => {
  try {
    return parseEmail(typed)
  } catch {
    return null
  }
}

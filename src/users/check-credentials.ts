import { parseEmail } from './email.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { verifyPassword } from './passwords.ts'
import type { UserStore } from './store.ts'

/** Whose password it was, and the hash that it was checked against. */
interface Checked {
  readonly userId: string
  readonly passwordHash: string
}

type CheckResult = Checked | 'wrong' | { readonly retryAfterSeconds: number }

/** Where an attempt comes from. It decides what the attempt is counted by. */
type Origin =
  | {
      readonly address: string
      /** Has a count of its own if the account has signed in there before. */
      readonly device: { readonly id: string; readonly email: string } | null
    }
  /** A session has a count of its own: nobody else can use it up. */
  | { readonly session: string }

export type CheckCredentials = (email: string, password: string, origin: Origin) => Promise<CheckResult>

interface Options {
  readonly users: Pick<UserStore, 'findUser'>
  readonly failedAttempts: FailedAttempts
}

/**
 * Checks an e-mail address and a password. For an address that nobody has, or whose user is disabled, the check takes as
 * long as for a wrong password and has the same result, so that nobody learns who has an account.
 */
export const credentialChecker =
  ({ users, failedAttempts }: Options): CheckCredentials =>
  async (typed, password, origin) => {
    const email = toEmail(typed)
    const attempt = failedAttempts.begin(countedBy(origin, email ?? typed))
    if (!attempt.isAllowed) return { retryAfterSeconds: attempt.retryAfterSeconds }
    const user = email === null ? undefined : users.findUser(email)
    const isRight = await verifyPassword(password, user?.passwordHash).catch((error) => {
      attempt.takeBack()
      throw error
    })
    if (!user || !isRight || user.disabledAt !== null) return 'wrong'
    attempt.takeBack()
    return { userId: user.id, passwordHash: user.passwordHash }
  }

const countedBy = (origin: Origin, email: string) => {
  if ('session' in origin) return { session: origin.session }
  const { address, device } = origin
  return device?.email === email ? { device: device.id } : { account: email, address }
}

const toEmail = (typed: string): string | null => {
  try {
    return parseEmail(typed)
  } catch {
    return null
  }
}

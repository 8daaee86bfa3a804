import type { Reader } from '../db/reader.ts'
import { parseEmail } from './email.ts'
import { verifyPassword } from './passwords.ts'
import type { Throttle } from './throttle.ts'
import { findUser } from './users.ts'

/** Whose password it was, and the hash that it was checked against. */
interface Checked {
  readonly userId: string
  readonly passwordHash: string
}

type Outcome = Checked | 'wrong' | { readonly retryAfterSeconds: number }

export type CheckCredentials = (email: string, password: string, address: string) => Promise<Outcome>

interface Options {
  readonly reader: Reader
  readonly throttle: Throttle
}

/**
 * Checks an e-mail address and a password. An address that nobody has, and one of somebody who is disabled, takes as
 * long as a wrong password and gives the same answer, so that nobody learns who has an account.
 */
export const createCredentialCheck =
  ({ reader, throttle }: Options): CheckCredentials =>
  async (typed, password, address) => {
    const email = toEmail(typed)
    const attempt = throttle.begin([`account ${email ?? typed.slice(0, 300)}`, `address ${address}`])
    if (!attempt.isAllowed) return { retryAfterSeconds: attempt.retryAfterSeconds }
    const user = email === null ? undefined : findUser(reader.db, email)
    const isRight = await verifyPassword(password, user?.passwordHash)
    if (!user || !isRight || user.disabledAt !== null) return 'wrong'
    attempt.succeeded()
    return { userId: user.id, passwordHash: user.passwordHash }
  }

const toEmail = (typed: string): string | null => {
  try {
    return parseEmail(typed)
  } catch {
    return null
  }
}

/** What the pages say where nothing was checked. */
export const tooManyTries = (retryAfterSeconds: number): string => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return `Too many failed tries. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
}

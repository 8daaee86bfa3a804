import type { Reader } from '../db/reader.ts'
import { parseEmail } from './email.ts'
import type { Throttle } from './failed-tries.ts'
import { verifyPassword } from './passwords.ts'
import { findUser } from './store.ts'

/** Whose password it was, and the hash that it was checked against. */
interface Checked {
  readonly userId: string
  readonly passwordHash: string
}

type Outcome = Checked | 'wrong' | { readonly retryAfterSeconds: number }

/** Where a try comes from, which decides what it is counted by. */
type Origin =
  | {
      readonly address: string
      /** Has a count of its own where the account is the one that signed in there before. */
      readonly device: { readonly id: string; readonly email: string } | null
    }
  /** A session has a count of its own: nobody else can use it up. */
  | { readonly session: string }

export type CheckCredentials = (email: string, password: string, origin: Origin) => Promise<Outcome>

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
  async (typed, password, origin) => {
    const email = toEmail(typed)
    const attempt = throttle.begin(countedBy(origin, email ?? typed))
    if (!attempt.isAllowed) return { retryAfterSeconds: attempt.retryAfterSeconds }
    const user = email === null ? undefined : findUser(reader.db, email)
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

/** What the pages say where nothing was checked. */
export const tooManyTries = (retryAfterSeconds: number): string => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return `Too many failed tries. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
}

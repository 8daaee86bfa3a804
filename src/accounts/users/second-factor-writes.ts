import { and, eq, isNull, sql } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { param, secondFactors, sessions, users } from '../../storage/tables.ts'
import { accountChanged } from './account-changed.ts'
import type { Wait } from './check-credentials.ts'
import { type WrongCodes, waitAfter, withWrong } from './wrong-codes.ts'

/**
 * A code that was found to be right: what it was checked against, and what makes it different from all others. The command
 * decides whether it was used before, so each works once, also if it comes to two machines of a cluster at the same moment.
 */
export type CheckedCode =
  /** The second factor whose secret made it, and the interval. */
  | (Guess & { readonly factor: string; readonly step: number })
  /** The hash of a recovery code. */
  | { readonly recoveryCode: string }

/** A code of the app that was typed. */
export interface Guess {
  /** The guesser, as in `WrongCodes`. */
  readonly guesser: string
  /** Unix milliseconds. */
  readonly at: number
}

/** What someone who signs in has shown. It passes as it is from the pages to the command, which asks `useProof`. */
export interface Proof {
  readonly userId: string
  /** The hash that the password was checked against. */
  readonly passwordHash: string
  /** The second factor's code, if the user has turned one on. */
  readonly code?: CheckedCode | undefined
}

interface NewSecondFactor {
  readonly userId: string
  readonly id: string
  /** The hash that the password was checked against. */
  readonly passwordHash: string
  /** The hash of the session that turns it on. */
  readonly session: string
  readonly secret: string
  /** The time step of the code that was typed to show that the app works. */
  readonly step: number
  /** Hashes. */
  readonly recoveryCodes: readonly string[]
}

/** A change by the user, in a session, with a code. */
interface Change {
  readonly userId: string
  readonly session: string
  readonly code: CheckedCode
}

export type SecondFactorWrites = ReturnType<typeof secondFactorWrites>

export const secondFactorWrites = (db: Db) => ({
  /**
   * Turns it on. Every other session ends, because none of them was asked for a code.
   *
   * @throws AppError `unauthenticated` if the session has ended, the password has changed, or it is on already
   */
  turnOnSecondFactor({ userId, id, passwordHash, session, secret, step, recoveryCodes }: NewSecondFactor): void {
    const user = db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), eq(users.passwordHash, passwordHash), isNull(users.disabledAt)))
      .get()
    if (!user || !isOpen(db, userId, session) || find(db, userId)) throw accountChanged()
    db.insert(secondFactors)
      .values({ userId, id, secret, lastStep: step, recoveryCodes: JSON.stringify(recoveryCodes) })
      .run()
    db.delete(sessions)
      .where(and(eq(sessions.userId, userId), sql`${sessions.hash} <> ${session}`))
      .run()
  },

  /** @throws AppError `unauthenticated` if the session has ended */
  turnOffSecondFactor({ userId, session, code }: Change): UsedCode {
    if (!isOpen(db, userId, session)) throw accountChanged()
    const used = useCode(db, userId, code)
    if (used.state === 'right') db.delete(secondFactors).where(eq(secondFactors.userId, userId)).run()
    return used
  },

  /**
   * Replaces all recovery codes.
   *
   * @throws AppError as `turnOffSecondFactor` does
   */
  replaceRecoveryCodes({
    userId,
    session,
    code,
    recoveryCodes,
  }: Change & Pick<NewSecondFactor, 'recoveryCodes'>): UsedCode {
    if (!isOpen(db, userId, session)) throw accountChanged()
    const used = useCode(db, userId, code)
    if (used.state === 'right')
      db.update(secondFactors)
        .set({ recoveryCodes: JSON.stringify(recoveryCodes) })
        .where(eq(secondFactors.userId, userId))
        .run()
    return used
  },

  /**
   * Counts a wrong code of the app. Returns 0, or the milliseconds until the next one is looked at if this is one too many, which
   * does not count.
   */
  countWrongCode({ userId, factor, guesser, at }: Guess & { userId: string; factor: string }): number {
    const found = find(db, userId)
    if (found?.id !== factor) return 0
    const wrong = parseWrongCodes(found.wrongCodes)
    const wait = waitAfter(wrong, guesser, at)
    if (wait > 0) return wait
    const wrongCodes = JSON.stringify(withWrong(wrong, guesser, at))
    db.update(secondFactors).set({ wrongCodes }).where(eq(secondFactors.userId, userId)).run()
    return 0
  },

  /** Turns it off by the operator. Returns whether it was on. */
  resetSecondFactor({ userId }: { userId: string }): boolean {
    const removed = db.delete(secondFactors).where(eq(secondFactors.userId, userId))
    return removed.returning({ userId: secondFactors.userId }).all().length > 0
  },
})

/**
 * `used`: the code was used before, or is no longer one of this user. `wait`: others of its guesser were wrong too often, on
 * whichever machine.
 */
export type RefusedCode = { readonly state: 'used' } | Wait
export type UsedCode = { readonly state: 'right' } | RefusedCode

/** Uses up what was shown after the password. `changed`: the user has turned on a second factor since. */
export const useProof = (db: Db, { userId, code }: Proof): UsedCode | { readonly state: 'changed' } => {
  if (!find(db, userId)) return { state: 'right' }
  return code ? useCode(db, userId, code) : { state: 'changed' }
}

/** Uses a code up, unless it is refused. */
export const useCode = (db: Db, userId: string, code: CheckedCode): UsedCode =>
  'step' in code ? useStep(db, userId, code) : useRecoveryCode(db, userId, code.recoveryCode)

export const waitFor = (milliseconds: number): Wait => ({
  state: 'wait',
  retryAfterSeconds: Math.ceil(milliseconds / 1000),
})

const useStep = (
  db: Db,
  userId: string,
  { factor, step, guesser, at }: Guess & { factor: string; step: number },
): UsedCode => {
  const found = find(db, userId)
  if (found?.id !== factor) return { state: 'used' }
  const wait = waitAfter(parseWrongCodes(found.wrongCodes), guesser, at)
  if (wait > 0) return waitFor(wait)
  if (step <= found.lastStep) return { state: 'used' }
  db.update(secondFactors).set({ lastStep: step }).where(eq(secondFactors.userId, userId)).run()
  return { state: 'right' }
}

const useRecoveryCode = (db: Db, userId: string, hash: string): UsedCode => {
  const found = find(db, userId)
  const left = parseRecoveryCodes(found?.recoveryCodes ?? '[]')
  const position = left.indexOf(hash)
  if (position < 0) return { state: 'used' }
  const recoveryCodes = JSON.stringify(left.toSpliced(position, 1))
  db.update(secondFactors).set({ recoveryCodes }).where(eq(secondFactors.userId, userId)).run()
  return { state: 'right' }
}

const find = (db: Db, userId: string) => finder(db).get({ userId })

const finder = oncePerConnection((db: Db) =>
  db
    .select()
    .from(secondFactors)
    .where(eq(secondFactors.userId, param('userId')))
    .prepare(),
)

export const parseWrongCodes = (column: string): WrongCodes => JSON.parse(column)

export const parseRecoveryCodes = (column: string): readonly string[] => JSON.parse(column)

const isOpen = (db: Db, userId: string, session: string): boolean =>
  db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(and(eq(sessions.hash, session), eq(sessions.userId, userId)))
    .get() !== undefined

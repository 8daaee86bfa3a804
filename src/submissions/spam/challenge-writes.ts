import { AppError } from '../../base/errors.ts'
import type { Db } from '../../storage/open.ts'
import { params, spentChallenges } from '../../storage/tables.ts'

/** A challenge that was solved and used, as it is stored. */
export interface SpentChallenge {
  /** Base64url, as in the challenge. */
  readonly random: string
  /** Time from which it is refused anyway. Unix time in milliseconds. */
  readonly expiresAt: number
}

/** The proof of work that a form asks for is missing, or does not count. */
export const unsolved = (message: string): AppError =>
  new AppError('unsolved', 'Invalid input data', { issues: [{ field: '_challenge', message }] })

/** Spends a challenge in the transaction of the command that stores a submission: neither exists without the other. */
export const challengeSpender = (db: Db) => {
  const spend = db
    .insert(spentChallenges)
    .values(params('expiresAt', 'random'))
    .onConflictDoNothing()
    .returning({ random: spentChallenges.random })
    .prepare()

  /** @throws AppError `unsolved` if it was used before */
  return ({ random, expiresAt }: SpentChallenge): void => {
    if (!spend.get({ random, expiresAt })) throw unsolved('must not have been used before')
  }
}

import { and, asc, eq, lte } from 'drizzle-orm'
import { type Db, hasRows } from '../db/open.ts'
import { param, spentChallenges } from '../db/tables.ts'
import { unsolved } from '../errors.ts'

/** A challenge that was solved and used, as it is stored. */
export interface SpentChallenge {
  /** Base64url, as in the challenge. */
  readonly random: string
  /** Time from which it is refused anyway. Unix time in milliseconds. */
  readonly expiresAt: number
}

/** Spends a challenge in the transaction of the command that stores a submission: neither exists without the other. */
export const challengeSpender = (db: Db) => {
  const spend = db
    .insert(spentChallenges)
    .values({ expiresAt: param('expiresAt'), random: param('random') })
    .onConflictDoNothing()
    .returning({ random: spentChallenges.random })
    .prepare()

  /** @throws AppError `unsolved` if it was used before */
  return ({ random, expiresAt }: SpentChallenge): void => {
    if (!spend.get({ random, expiresAt })) throw unsolved('must not have been used before')
  }
}

/** Whether any is stored. If not, the command below need not run. */
export const spentReader = (db: Db): (() => boolean) => hasRows(db, spentChallenges)

export type ChallengeWrites = ReturnType<typeof challengeWrites>

export const challengeWrites = (db: Db) => {
  const expired = db
    .select()
    .from(spentChallenges)
    .where(lte(spentChallenges.expiresAt, param('now')))
    .orderBy(asc(spentChallenges.expiresAt), asc(spentChallenges.random))
    .limit(param('maxRows'))
    .prepare()
  const remove = db
    .delete(spentChallenges)
    .where(and(eq(spentChallenges.expiresAt, param('expiresAt')), eq(spentChallenges.random, param('random'))))
    .prepare()

  return {
    /** Removes the oldest challenges that have expired. Returns true if there may be more. */
    removeSpentChallenges({ now, maxRows }: { readonly now: number; readonly maxRows: number }): boolean {
      const rows = expired.all({ now, maxRows })
      for (const row of rows) remove.run({ ...row })
      return rows.length === maxRows
    },
  }
}

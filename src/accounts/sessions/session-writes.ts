import { and, eq, gt, isNull, lte, ne } from 'drizzle-orm'
import type { Db } from '../../storage/open.ts'
import { clockCheck } from '../../storage/steady-clock.ts'
import { given, param, params, sessions, users } from '../../storage/tables.ts'
import { type Proof, type RefusedCode, useProof } from '../users/second-factor-writes.ts'

interface NewSession extends Proof {
  readonly id: string
  readonly hash: string
  readonly browser: string
  readonly expiresAt: number
  readonly now: number
}

/** `changed`: the user was disabled, got another password or turned on a second factor after the check. */
type StartedSession = { readonly state: 'started' } | { readonly state: 'changed' } | RefusedCode

export type SessionWrites = ReturnType<typeof sessionWrites>

export const sessionWrites = (db: Db) => {
  const sureTime = clockCheck(db)
  const { findUser, removeEnded, insert, extend, end, endOfUser, endAll } = statements(db)

  return {
    startSession({ id, hash, browser, expiresAt, now, ...proof }: NewSession): StartedSession {
      const { userId, passwordHash } = proof
      if (!findUser.get({ userId, passwordHash })) return { state: 'changed' }
      const used = useProof(db, proof)
      if (used.state !== 'right') return used
      removeEnded.run({ now: sureTime({ now }) })
      insert.run({ hash, id, userId, expiresAt, browser })
      return { state: 'started' }
    },

    extendSession: (input: { hash: string; expiresAt: number; now: number }): void => void extend.run(input),

    endSession: (input: { hash: string }): void => void end.run(input),

    /** Ends one of the user's by its identifier. */
    endSessionOfUser: (input: { userId: string; id: string }): void => void endOfUser.run(input),

    /** @param input.except the hash of one that goes on; without it, all of the user's end */
    endSessions({ userId, except = '' }: { userId: string; except?: string | undefined }): void {
      endAll.run({ userId, except })
    },
  }
}

const statements = (db: Db) => {
  const ofUser = eq(sessions.userId, param('userId'))
  const byHash = eq(sessions.hash, param('hash'))
  const findUser = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, param('userId')), eq(users.passwordHash, param('passwordHash')), isNull(users.disabledAt)))
    .prepare()
  const removeEnded = db
    .delete(sessions)
    .where(lte(sessions.expiresAt, param('now')))
    .prepare()
  const insert = db
    .insert(sessions)
    .values(params('hash', 'id', 'userId', 'expiresAt', 'browser'))
    .prepare()
  const extend = db
    .update(sessions)
    .set({ expiresAt: given('expiresAt') })
    .where(and(byHash, gt(sessions.expiresAt, param('now'))))
    .prepare()
  const end = db.delete(sessions).where(byHash).prepare()
  const endOfUser = db
    .delete(sessions)
    .where(and(ofUser, eq(sessions.id, param('id'))))
    .prepare()
  const endAll = db
    .delete(sessions)
    .where(and(ofUser, ne(sessions.hash, param('except'))))
    .prepare()
  return { findUser, removeEnded, insert, extend, end, endOfUser, endAll }
}

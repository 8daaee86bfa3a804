import type { Db } from '../db/open.ts'
import { OperatorError } from '../errors.ts'
import { findUser } from '../users/store.ts'

/** @throws OperatorError when nobody has this address */
export const existingUser = (db: Db, email: string) => {
  const user = findUser(db, email)
  if (!user) throw new OperatorError(`there is no user ${email}; see formbox user list`)
  return user
}

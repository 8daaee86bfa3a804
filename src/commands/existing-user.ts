import type { Db } from '../db/open.ts'
import { OperatorError } from '../operator-errors.ts'
import { userReads } from '../users/user-reads.ts'

/** @throws OperatorError when nobody has this address */
export const existingUser = (db: Db, email: string) => {
  const user = userReads(db).findUser(email)
  if (!user) throw new OperatorError(`there is no user ${email}; see formbox user list`)
  return user
}

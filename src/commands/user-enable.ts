import { parseEmail } from '../users/email.ts'
import { requireUser } from '../users/store.ts'
import { accountWrites } from '../users/user-writes.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'

export const run = async (flags: Flags, operands: readonly string[]): Promise<number> => {
  const email = parseEmail(operands[0] ?? '')
  withDataFolder(flags, (db) => accountWrites(db).enableUser({ userId: requireUser(db, email).id }))
  return 0
}

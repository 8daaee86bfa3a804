import { parseEmail } from '../users/email.ts'
import { hashPassword } from '../users/passwords.ts'
import { requireUser } from '../users/store.ts'
import { accountWrites } from '../users/user-writes.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'
import { readOrMakePassword } from './new-password.ts'

export const run = async (flags: Flags, operands: readonly string[]): Promise<number> => {
  const email = parseEmail(operands[0] ?? '')
  const { password, isMade } = await readOrMakePassword(flags)
  const passwordHash = await hashPassword(password)
  withDataFolder(flags, (db) => accountWrites(db).resetPassword({ userId: requireUser(db, email).id, passwordHash }))
  if (isMade) process.stdout.write(`${password}\n`)
  return 0
}

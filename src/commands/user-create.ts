import { newId } from '../id.ts'
import { parseEmail } from '../users/email.ts'
import { hashPassword } from '../users/passwords.ts'
import { accountWrites } from '../users/user-writes.ts'
import { withNewDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'
import { readOrMakePassword } from './new-password.ts'

export const run = async (flags: Flags, operands: readonly string[]): Promise<number> => {
  const email = parseEmail(operands[0] ?? '')
  const { password, isMade } = await readOrMakePassword(flags)
  const passwordHash = await hashPassword(password)
  withNewDataFolder(flags, (db) => accountWrites(db).createUser({ id: newId(Date.now()), email, passwordHash }))
  if (isMade) process.stdout.write(`${password}\n`)
  return 0
}

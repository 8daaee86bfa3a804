import { parseEmail } from '../accounts/email.ts'
import { checkPassword, hashPassword, newPassword } from '../accounts/passwords.ts'
import { accountWrites } from '../accounts/writes.ts'
import { newId } from '../id.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'

export const run = async (flags: Flags, operands: readonly string[]): Promise<number> => {
  const email = parseEmail(operands[0] ?? '')
  const isGiven = flags['password-stdin'] === true
  const password = isGiven ? checkPassword((await Bun.stdin.text()).replace(/\r?\n$/, '')) : newPassword()
  const passwordHash = await hashPassword(password)
  withDataFolder(flags, (db) => accountWrites(db).createUser({ id: newId(Date.now()), email, passwordHash }))
  if (!isGiven) process.stdout.write(`${password}\n`)
  return 0
}

import { parseEmail } from '../users/email.ts'
import { hashPassword } from '../users/passwords.ts'
import type { Command } from './command.ts'
import { withWrites } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { passwordStdinFlag, readOrMakePassword } from './new-password.ts'
import { dataFlag } from './setting-flags.ts'

export const userPassword: Command = {
  words: ['user', 'password'],
  operands: ['EMAIL'],
  summary: 'set a generated password and print it; ends sessions, keeps keys',
  flags: [passwordStdinFlag, dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const { password, isMade } = await readOrMakePassword(flags)
    const passwordHash = await hashPassword(password)
    await withWrites(flags, ({ db, write }) =>
      write('resetPassword', { userId: existingUser(db, email).id, passwordHash }),
    )
    if (isMade) process.stdout.write(`${password}\n`)
    return 0
  },
}

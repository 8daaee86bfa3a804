import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { OperatorError } from '../operator-errors.ts'
import { parseEmail } from '../users/email.ts'
import { hashPassword } from '../users/passwords.ts'
import type { Command } from './command.ts'
import { withNewWrites } from './data-folder.ts'
import { passwordStdinFlag, readOrMakePassword } from './new-password.ts'
import { dataFlag } from './setting-flags.ts'

export const userCreate: Command = {
  words: ['user', 'create'],
  operands: ['EMAIL'],
  summary: 'create a user and print a generated password',
  flags: [passwordStdinFlag, dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    const { password, isMade } = await readOrMakePassword(flags)
    const passwordHash = await hashPassword(password)
    await withNewWrites(flags, ({ write }) =>
      write('createUser', { id: newId(Date.now()), email, passwordHash }).catch((error: unknown) => {
        const isTaken = error instanceof AppError && error.code === 'invalid'
        throw isTaken ? new OperatorError(`there is already a user ${email}`) : error
      }),
    )
    if (isMade) process.stdout.write(`${password}\n`)
    return 0
  },
}

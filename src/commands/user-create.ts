import { newId } from '../id.ts'
import { OperatorError } from '../operator-errors.ts'
import { parseEmail } from '../users/email.ts'
import { hashPassword } from '../users/passwords.ts'
import { userReads } from '../users/user-reads.ts'
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
    await withNewWrites(flags, async ({ db, write }) => {
      if (userReads(db).findUser(email)) throw new OperatorError(`there is already a user ${email}`)
      await write('createUser', { id: newId(Date.now()), email, passwordHash })
    })
    if (isMade) process.stdout.write(`${password}\n`)
    return 0
  },
}

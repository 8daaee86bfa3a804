import { parseEmail } from '../users/email.ts'
import { userWrites } from '../users/user-writes.ts'
import type { Command } from './command.ts'
import { withDataFolder } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { dataFlag } from './setting-flags.ts'

export const userEnable: Command = {
  words: ['user', 'enable'],
  operands: ['EMAIL'],
  summary: 'enable a disabled user again',
  flags: [dataFlag],
  run: (flags, [operand = '']) => {
    const email = parseEmail(operand)
    withDataFolder(flags, (db) => userWrites(db).enableUser({ userId: existingUser(db, email).id }))
    return 0
  },
}

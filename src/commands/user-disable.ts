import { parseEmail } from '../users/email.ts'
import { userWrites } from '../users/user-writes.ts'
import type { Command } from './command.ts'
import { withDataFolder } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { dataFlag } from './setting-flags.ts'

export const userDisable: Command = {
  words: ['user', 'disable'],
  operands: ['EMAIL'],
  summary: 'lock out a user: ends sessions, refuses keys; forms keep collecting',
  flags: [dataFlag],
  run: (flags, [operand = '']) => {
    const email = parseEmail(operand)
    withDataFolder(flags, (db) => userWrites(db).disableUser({ userId: existingUser(db, email).id, now: Date.now() }))
    return 0
  },
}

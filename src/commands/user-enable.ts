import { parseEmail } from '../users/email.ts'
import { requireUser } from '../users/store.ts'
import { accountWrites } from '../users/user-writes.ts'
import type { Command } from './command.ts'
import { withDataFolder } from './data-folder.ts'
import { dataFlag } from './setting-flags.ts'

export const userEnable: Command = {
  words: ['user', 'enable'],
  operand: 'EMAIL',
  summary: 'enable a disabled user again',
  flags: [dataFlag],
  run: (flags, operand) => {
    const email = parseEmail(operand)
    withDataFolder(flags, (db) => accountWrites(db).enableUser({ userId: requireUser(db, email).id }))
    return 0
  },
}

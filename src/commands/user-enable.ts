import { parseEmail } from '../users/email.ts'
import type { Command } from './command.ts'
import { withWrites } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { dataFlag } from './setting-flags.ts'

export const userEnable: Command = {
  words: ['user', 'enable'],
  operands: ['EMAIL'],
  summary: 'enable a disabled user again',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    await withWrites(flags, ({ db, write }) => write('enableUser', { userId: existingUser(db, email).id }))
    return 0
  },
}

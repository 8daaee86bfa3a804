import { parseEmail } from '../users/email.ts'
import type { Command } from './command.ts'
import { withWrites } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { dataFlag } from './setting-flags.ts'

export const userDisable: Command = {
  words: ['user', 'disable'],
  operands: ['EMAIL'],
  summary: 'lock out a user: no sessions, keys, mails, webhooks; forms keep collecting',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const email = parseEmail(operand)
    await withWrites(flags, ({ db, write }) =>
      write('disableUser', { userId: existingUser(db, email).id, now: Date.now() }),
    )
    return 0
  },
}

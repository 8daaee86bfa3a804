import type { Command } from './command.ts'
import { withWrites } from './data-folder.ts'
import { dataFlag } from './setting-flags.ts'

export const keyRevoke: Command = {
  words: ['key', 'revoke'],
  operands: ['ID'],
  summary: 'revoke a key; it is refused from the next request on',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    await withWrites(flags, ({ write }) => write('revokeKey', { id: operand }))
    return 0
  },
}

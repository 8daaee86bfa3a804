import { keyWrites } from '../keys/key-writes.ts'
import type { Command } from './command.ts'
import { withDataFolder } from './data-folder.ts'
import { dataFlag } from './setting-flags.ts'

export const keyRevoke: Command = {
  words: ['key', 'revoke'],
  operands: ['ID'],
  summary: 'revoke a key; it is refused from the next request on',
  flags: [dataFlag],
  run: (flags, [operand = '']) => {
    withDataFolder(flags, (db) => keyWrites(db).revokeKey({ id: operand }))
    return 0
  },
}

import { keyWrites } from '../keys/key-writes.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'

export const run = async (flags: Flags, operands: readonly string[]): Promise<number> => {
  withDataFolder(flags, (db) => keyWrites(db).revokeKey({ id: operands[0] ?? '' }))
  return 0
}

import { parseEmail } from '../accounts/email.ts'
import { createdAt } from '../id.ts'
import { listKeys } from '../keys/writes.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'
import { printTable } from './table.ts'

export const run = async (flags: Flags): Promise<number> => {
  const email = flags.user === undefined ? undefined : parseEmail(flags.user as string)
  const keys = withDataFolder(flags, (db) => listKeys(db, email))
  return printTable(
    ['ID', 'USER', 'NAME', 'KEY', 'PERMISSION', 'CREATED', 'LAST USED', 'EXPIRES'],
    keys.map((key) => [
      key.id,
      key.email,
      key.name,
      `${key.start}…`,
      key.isReadOnly ? 'read-only' : 'full',
      createdAt(key.id),
      key.lastUsedAt === null ? 'never' : new Date(key.lastUsedAt).toISOString(),
      key.expiresAt === null ? 'never' : new Date(key.expiresAt).toISOString(),
    ]),
  )
}

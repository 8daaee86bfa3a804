import { createdAt } from '../id.ts'
import { keyReads } from '../keys/key-reads.ts'
import { parseEmail } from '../users/email.ts'
import type { Command } from './command.ts'
import { withDataFolder } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { jsonFlag, printJson, printTable } from './print.ts'
import { dataFlag } from './setting-flags.ts'

export const keyList: Command = {
  words: ['key', 'list'],
  summary: 'list all keys, without their values',
  flags: [{ name: 'user', value: 'EMAIL', help: 'list only the keys of this user' }, jsonFlag, dataFlag],
  run: async (flags) => {
    const email = flags.user === undefined ? undefined : parseEmail(flags.user as string)
    const keys = await withDataFolder(flags, (db) =>
      keyReads(db).listKeys(email === undefined ? undefined : existingUser(db, email).id),
    )
    if (flags.json === true)
      return printJson(
        keys.map((key) => ({
          id: key.id,
          user: key.email,
          name: key.name,
          start: key.start,
          permission: permissionOf(key.isReadOnly),
          createdAt: createdAt(key.id),
          lastUsedAt: timeOf(key.lastUsedAt),
          expiresAt: timeOf(key.expiresAt),
        })),
      )
    return printTable(
      ['ID', 'USER', 'NAME', 'KEY', 'PERMISSION', 'CREATED', 'LAST USED', 'EXPIRES'],
      keys.map((key) => [
        key.id,
        key.email,
        key.name,
        `${key.start}…`,
        permissionOf(key.isReadOnly),
        createdAt(key.id),
        timeOf(key.lastUsedAt) ?? 'never',
        timeOf(key.expiresAt) ?? 'never',
      ]),
    )
  },
}

const permissionOf = (isReadOnly: boolean): string => (isReadOnly ? 'read-only' : 'full')
const timeOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

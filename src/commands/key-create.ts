import { newId } from '../id.ts'
import { parseExpiry, parseKeyName } from '../keys/key-fields.ts'
import { keyWrites } from '../keys/key-writes.ts'
import { newKey } from '../keys/token.ts'
import { parseEmail } from '../users/email.ts'
import { requireUser } from '../users/store.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'

export const run = async (flags: Flags): Promise<number> => {
  const email = parseEmail(flags.user as string)
  const name = parseKeyName(flags.name as string)
  const expiresAt = flags.expires === undefined ? null : parseExpiry(flags.expires as string, Date.now())
  const { value, hash, start } = newKey()
  withDataFolder(flags, (db) => {
    keyWrites(db).createKey({
      id: newId(Date.now()),
      userId: requireUser(db, email).id,
      name,
      hash,
      start,
      isReadOnly: flags['read-only'] === true,
      expiresAt,
    })
  })
  process.stdout.write(`${value}\n`)
  return 0
}

import { newId } from '../id.ts'
import { parseExpiry, parseKeyName } from '../keys/key-fields.ts'
import { newKey } from '../keys/token.ts'
import { parseEmail } from '../users/email.ts'
import type { Command } from './command.ts'
import { withWrites } from './data-folder.ts'
import { existingUser } from './existing-user.ts'
import { dataFlag } from './setting-flags.ts'

export const keyCreate: Command = {
  words: ['key', 'create'],
  summary: 'create an API key and print it; it is shown only once',
  flags: [
    { name: 'user', value: 'EMAIL', help: 'owner of the key', isRequired: true },
    { name: 'name', value: 'NAME', help: 'what the key is for, 1 to 100 characters', isRequired: true },
    { name: 'expires', value: 'DATE', help: 'last day (2026-12-31, in UTC) or exact time (2026-12-31T12:00:00Z)' },
    { name: 'read-only', help: 'allow read operations only' },
    dataFlag,
  ],
  run: async (flags) => {
    const email = parseEmail(flags.user as string)
    const name = parseKeyName(flags.name as string)
    const expiresAt = flags.expires === undefined ? null : parseExpiry(flags.expires as string, Date.now())
    const { value, hash, start } = newKey()
    await withWrites(flags, ({ db, write }) =>
      write('createKey', {
        id: newId(Date.now()),
        userId: existingUser(db, email).id,
        name,
        hash,
        start,
        isReadOnly: flags['read-only'] === true,
        expiresAt,
      }),
    )
    process.stdout.write(`${value}\n`)
    return 0
  },
}

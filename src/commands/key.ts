import { newKey, parseExpiry, parseKeyName, refuseManyForms } from '../accounts/keys/key-rules.ts'
import { keyReads } from '../accounts/keys/store.ts'
import { parseEmail } from '../accounts/users/email.ts'
import { createdAt, newId } from '../base/id.ts'
import { OperatorError } from '../base/operator-errors.ts'
import { accessIn } from '../forms/access.ts'
import type { Command } from './command.ts'
import { existingForm, existingUser, withDataFolder, withWrites } from './data-folder.ts'
import { dataFlag } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

const keyCreate: Command = {
  words: ['key', 'create'],
  summary: 'create an API key and print it; it is shown only once',
  flags: [
    { name: 'user', value: 'EMAIL', help: 'owner of the key', isRequired: true },
    { name: 'name', value: 'NAME', help: 'what the key is for, 1 to 100 characters', isRequired: true },
    { name: 'expires', value: 'DATE', help: 'last day (2026-12-31, in UTC) or exact time (2026-12-31T12:00:00Z)' },
    { name: 'read-only', help: 'allow read operations only' },
    { name: 'form', value: 'ID', help: 'limit it to this form; may be repeated', isRepeatable: true },
    dataFlag,
  ],
  run: async (flags) => {
    const email = parseEmail(flags.user as string)
    const name = parseKeyName(flags.name as string)
    const expiresAt = flags.expires === undefined ? null : parseExpiry(flags.expires as string, Date.now())
    const { value, hash, start } = newKey()
    const forms = (flags.form as readonly string[] | undefined) ?? null
    if (forms) refuseManyForms(forms)
    await withWrites(flags, ({ db, write }) => {
      const { id: userId } = existingUser(db, email)
      for (const id of forms ?? [])
        if (!accessIn(db).mayDo(userId, existingForm(db, id), 'read'))
          throw new OperatorError(`${email} may not read the form ${id}`)
      return write('createKey', {
        id: newId(Date.now()),
        userId,
        name,
        hash,
        start,
        isReadOnly: flags['read-only'] === true,
        expiresAt,
        forms,
      })
    })
    process.stdout.write(`${value}\n`)
    return 0
  },
}

const keyList: Command = {
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
          forms: key.forms === null ? null : JSON.parse(key.forms),
          createdAt: createdAt(key.id),
          lastUsedAt: timeOf(key.lastUsedAt),
          expiresAt: timeOf(key.expiresAt),
        })),
      )
    return printTable(
      ['ID', 'USER', 'NAME', 'KEY', 'PERMISSION', 'FORMS', 'CREATED', 'LAST USED', 'EXPIRES'],
      keys.map((key) => [
        key.id,
        key.email,
        key.name,
        `${key.start}…`,
        permissionOf(key.isReadOnly),
        key.forms === null ? 'all' : String(JSON.parse(key.forms).length),
        createdAt(key.id),
        timeOf(key.lastUsedAt) ?? 'never',
        timeOf(key.expiresAt) ?? 'never',
      ]),
    )
  },
}

const permissionOf = (isReadOnly: boolean): string => (isReadOnly ? 'read-only' : 'full')
const timeOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

const keyRevoke: Command = {
  words: ['key', 'revoke'],
  operands: ['ID'],
  summary: 'revoke a key; it is refused from the next request on',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    await withWrites(flags, ({ write }) => write('revokeKey', { id: operand }))
    return 0
  },
}

export const keyCommands: readonly Command[] = [keyCreate, keyList, keyRevoke]

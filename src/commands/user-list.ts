import { createdAt } from '../id.ts'
import { userReads } from '../users/user-reads.ts'
import type { Command } from './command.ts'
import { withDataFolder } from './data-folder.ts'
import { jsonFlag, printJson, printTable } from './print.ts'
import { dataFlag } from './setting-flags.ts'

export const userList: Command = {
  words: ['user', 'list'],
  summary: 'list all users',
  flags: [jsonFlag, dataFlag],
  run: async (flags) => {
    const users = await withDataFolder(flags, (db) => userReads(db).listUsers())
    if (flags.json === true)
      return printJson(
        users.map(({ id, email, formCount, disabledAt }) => ({
          id,
          email,
          forms: formCount,
          state: stateOf(disabledAt),
          createdAt: createdAt(id),
        })),
      )
    return printTable(
      ['EMAIL', 'FORMS', 'STATE', 'CREATED'],
      users.map(({ id, email, formCount, disabledAt }) => [
        email,
        String(formCount),
        stateOf(disabledAt),
        createdAt(id),
      ]),
    )
  },
}

const stateOf = (disabledAt: number | null): string => (disabledAt === null ? 'active' : 'disabled')

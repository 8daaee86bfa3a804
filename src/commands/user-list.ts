import { createdAt } from '../id.ts'
import { listUsers } from '../users/store.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'
import { printJson, printTable } from './print.ts'

export const run = async (flags: Flags): Promise<number> => {
  const users = withDataFolder(flags, listUsers)
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
    users.map(({ id, email, formCount, disabledAt }) => [email, String(formCount), stateOf(disabledAt), createdAt(id)]),
  )
}

const stateOf = (disabledAt: number | null): string => (disabledAt === null ? 'active' : 'disabled')

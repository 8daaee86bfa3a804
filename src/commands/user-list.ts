import { listUsers } from '../accounts/writes.ts'
import { createdAt } from '../id.ts'
import { withDataFolder } from './data-folder.ts'
import type { Flags } from './flags.ts'
import { printTable } from './table.ts'

export const run = async (flags: Flags): Promise<number> => {
  const users = withDataFolder(flags, listUsers)
  return printTable(
    ['EMAIL', 'FORMS', 'STATE', 'CREATED'],
    users.map(({ id, email, formCount, disabledAt }) => [
      email,
      String(formCount),
      disabledAt === null ? 'active' : 'disabled',
      createdAt(id),
    ]),
  )
}

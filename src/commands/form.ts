import { parseEmail } from '../accounts/users/email.ts'
import { createdAt } from '../base/id.ts'
import { shownLine } from '../base/short-text.ts'
import { listAllForms } from '../forms/lists/all-forms.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import type { Command } from './command.ts'
import { existingUser, withDataFolder } from './data-folder.ts'
import { dataFlag } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

const formList: Command = {
  words: ['form', 'list'],
  summary: 'list all forms with their FORM_ID, owner and number of submissions',
  flags: [
    { name: 'user', value: 'EMAIL', help: 'list only the forms of this user' },
    { name: 'group', value: 'NAME', help: 'list only the forms of this group' },
    jsonFlag,
    dataFlag,
  ],
  run: async (flags) => {
    const email = flags.user === undefined ? undefined : parseEmail(flags.user as string)
    const all = await withDataFolder(flags, (db) =>
      listAllForms(db, email === undefined ? undefined : existingUser(db, email).id),
    )
    const forms = all
      .map(({ settings, ...form }) => ({ ...form, ...parseSettings(settings) }))
      .filter(({ group }) => flags.group === undefined || group === flags.group)
    if (flags.json === true)
      return printJson(
        forms.map(({ id, title, address, group, owner, submissionCount }) => ({
          id,
          title,
          address,
          group,
          owner,
          submissions: submissionCount,
          createdAt: createdAt(id),
        })),
      )
    return printTable(
      ['ID', 'ADDRESS', 'OWNER', 'SUBMISSIONS', 'CREATED', 'TITLE'],
      forms.map(({ id, address, title, owner, submissionCount }) => [
        id,
        address ?? '-',
        owner,
        String(submissionCount),
        createdAt(id),
        shownLine(title),
      ]),
    )
  },
}

export const formCommands: readonly Command[] = [formList]

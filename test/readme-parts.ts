// The parts of docs/configuration.md that are made from the same tables as `formbox --help`. `make readme` writes them.
import { join } from 'node:path'
import { commands } from '../src/commands/commands.ts'
import { overview } from '../src/commands/help.ts'
import { meaningOf } from '../src/config/read-settings.ts'
import { settings } from '../src/config/settings.ts'

export const configurationPath = join(import.meta.dir, '../docs/configuration.md')

/** The page with up-to-date parts; equal to `page` if nothing has changed. */
export const withGeneratedParts = (page: string): string =>
  replaceOnce(
    replaceOnce(page, /(?<=^\| Variable \| Default \| Meaning \|\n)(\|.*\n)+/gm, settingsTable()),
    /(?<=^```text\n)Commands:\n[\s\S]*?(?=^```$)/gm,
    commandList(),
  )

const settingsTable = (): string =>
  ['| --- | --- | --- |', ...settings.map(toTableRow)].map((row) => `${row}\n`).join('')

const toTableRow = (setting: (typeof settings)[number]): string =>
  `| \`${setting.name}\` | ${setting.default === '' ? '' : `\`${setting.default}\` `}| ${meaningOf(setting)} |`

const commandList = (): string => {
  const [, list] = /^(Commands:\n[\s\S]*?\n)\n/m.exec(overview(commands)) ?? []
  if (list === undefined) throw new Error('formbox --help lists no commands')
  return list
}

const replaceOnce = (text: string, pattern: RegExp, part: string): string => {
  const { length } = [...text.matchAll(pattern)]
  if (length !== 1)
    throw new Error(`docs/configuration.md has ${length} places for what begins with ${part.split('\n', 1)[0]}`)
  return text.replace(pattern, () => part)
}

// The tables of docs that are made from the declarations of settings and commands. `make readme` writes them.
import { join } from 'node:path'
import { commands } from '../src/commands/commands.ts'
import { overview } from '../src/commands/help.ts'
import { meaningOf } from '../src/config/read-variables.ts'
import { variables } from '../src/config/variables.ts'
import { settingOf } from '../src/forms/settings/declared.ts'
import { defaultSettings, type SettingName, settingNames } from '../src/forms/settings/settings.ts'

interface GeneratedPage {
  readonly path: string
  /** The page with up-to-date parts; equal to `page` if nothing has changed. */
  readonly withGeneratedParts: (page: string) => string
}

export const generatedPages: readonly GeneratedPage[] = [
  {
    path: join(import.meta.dir, '../docs/configuration.md'),
    withGeneratedParts: (page) =>
      replaceOnce(
        replaceOnce(page, /(?<=^\| Variable \| Default \| Meaning \|\n)(\|.*\n)+/gm, table(variables.map(variableRow))),
        /(?<=^```text\n)Commands:\n[\s\S]*?(?=^```$)/gm,
        commandList(),
      ),
  },
  {
    path: join(import.meta.dir, '../docs/api.md'),
    withGeneratedParts: (page) =>
      replaceOnce(
        page,
        /(?<=^## Settings of a form\n\n\| Field \| Default \| Meaning \|\n)(\|.*\n)+/gm,
        table(settingNames.map(formSettingRow)),
      ),
  },
]

const table = (rows: readonly string[]): string => ['| --- | --- | --- |', ...rows].map((row) => `${row}\n`).join('')

const variableRow = (variable: (typeof variables)[number]): string =>
  `| \`${variable.name}\` | ${variable.default === '' ? '' : `\`${variable.default}\` `}| ${meaningOf(variable)} |`

const formSettingRow = (name: SettingName): string => {
  const { description, details } = settingOf(name)
  // A page that has the details has the sentences after the first one, too.
  const meaning = details === undefined ? description : `${description.split(/(?<=\.) /)[0]} ([more](${details}))`
  return `| \`${name}\` | \`${JSON.stringify(defaultSettings[name])}\` | ${meaning} |`
}

const commandList = (): string => {
  const [, list] = /^(Commands:\n[\s\S]*?\n)\n/m.exec(overview(commands)) ?? []
  if (list === undefined) throw new Error('formbox --help lists no commands')
  return list
}

const replaceOnce = (text: string, pattern: RegExp, part: string): string => {
  const { length } = [...text.matchAll(pattern)]
  if (length !== 1) throw new Error(`the page has ${length} places for what begins with ${part.split('\n', 1)[0]}`)
  return text.replace(pattern, () => part)
}

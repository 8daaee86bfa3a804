// The parts of the guides that are made from what the source declares. `make readme` writes them.
import { join } from 'node:path'
import { allOperations } from '../src/api/all-operations.ts'
import { snippets } from '../src/collect/snippets/snippets.ts'
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
      replaceOnce(page, /^FORMBOX_HOST=.*\n(FORMBOX_.*\n)+/gm, variables.map(variableLine).join('')),
  },
  {
    path: join(import.meta.dir, '../docs/api.md'),
    withGeneratedParts: (page) =>
      replaceOnce(
        replaceOnce(page, /(?<=^## Settings of a form\n\n)(- .*\n)+/gm, settingNames.map(formSettingRow).join('')),
        /(?<=^## Operations\n\n```text\n)[\s\S]*?(?=^```$)/gm,
        operationList(),
      ),
  },
  ...['README.md', 'docs/collecting.md', 'docs/sites.md'].map((path) => ({
    path: join(import.meta.dir, '..', path),
    withGeneratedParts: (page: string) =>
      replaceOnce(page, /^( *)<form action="[^"]*"\n +method[\s\S]*?^\1<\/form>\n/gm, embeddedForm).replaceAll(
        /^( *)<label>Name .*\n(?:.*\n){2} *<input name="_gotcha".*\n/gm,
        embeddedInputs,
      ),
  })),
]

/** The code of the Embed page of a form without settings, for an address that the reader replaces. */
const embedded = `${snippets('https://forms.example.com/s/FORM_ID', defaultSettings).find(({ id }) => id === 'html')?.code}\n`

const indented = (text: string, indent: string): string => text.replaceAll(/^(?=.)/gm, indent)

const embeddedForm = (_: string, indent: string): string => indented(embedded, indent)

/** Its inputs, as other languages write them. */
const embeddedInputs = (found: string, indent: string): string => {
  const [inputs = ''] = /^ *<label>[\s\S]*"_gotcha".*\n/m.exec(embedded) ?? []
  const written = indented(inputs.replaceAll(/^ +/gm, ''), indent)
  return found.includes('autoComplete')
    ? written.replaceAll(/(<input [^>]*)>/g, '$1 />').replace('autocomplete', 'autoComplete')
    : written
}

/** A line for each path. */
const operationList = (): string => {
  const methods = new Map<string, string[]>()
  for (const { path, method } of allOperations({} as never)) methods.set(path, [...(methods.get(path) ?? []), method])
  return [...methods]
    .map(([path, names]) => `${names.join(' ').padEnd(17)} ${path.replaceAll(/:(\w+)/g, '{$1}')}\n`)
    .join('')
}

const variableLine = (variable: (typeof variables)[number]): string =>
  `${`${variable.name}=${variable.default}`.padEnd(36)} ${meaningOf(variable)}\n`

const formSettingRow = (name: SettingName): string => {
  const { details } = settingOf(name)
  // The document of the API has its meaning.
  const guide =
    details === undefined
      ? ''
      : `, [${details.replace(/\.md$/, '').replace(/.*#/, '').replaceAll('-', ' ')}](${details})`
  return `- \`${name}\` \`${JSON.stringify(defaultSettings[name])}\`${guide}\n`
}

const replaceOnce = (
  text: string,
  pattern: RegExp,
  part: string | ((found: string, indent: string) => string),
): string => {
  const { length } = [...text.matchAll(pattern)]
  if (length !== 1) throw new Error(`the page has ${length} places for ${pattern}`)
  return text.replace(pattern, typeof part === 'string' ? () => part : part)
}

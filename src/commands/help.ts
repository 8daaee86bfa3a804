import { version } from '../../package.json'
import { meaningOf, type Variable } from '../config/read-variables.ts'
import { variables } from '../config/variables.ts'
import type { Command, Flag } from './command.ts'

export const overview = (commands: readonly Command[]): string =>
  [
    `Formbox ${version}, a self-hosted form backend`,
    '',
    'Usage: formbox [COMMAND] [FLAGS]',
    '',
    'Commands:',
    ...columns(commands.map((command) => [usage(command), command.summary])),
    '',
    'formbox COMMAND --help lists the flags of a command. A flag overrides its environment variable.',
    '',
    'Environment variables:',
    ...columns(variables.map(describe)),
  ].join('\n')

const describe = (variable: Variable): [string, string] => [
  variable.name,
  variable.default === '' ? meaningOf(variable) : `${meaningOf(variable)} (${variable.default})`,
]

export const helpForGroup = (group: readonly Command[]): string =>
  [
    `Usage: formbox ${group[0]?.words[0]} COMMAND [FLAGS]`,
    '',
    'Commands:',
    ...columns(group.map((command) => [usage(command), command.summary])),
    '',
    'formbox COMMAND --help lists the flags of a command.',
  ].join('\n')

export const helpFor = (command: Command): string =>
  [
    `Usage: formbox ${usage(command)} [FLAGS]`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    'Flags:',
    ...columns(
      [...command.flags, { name: 'help', help: 'show this help' } as Flag].map((flag) => [
        `--${flag.name}${flag.value ? ` ${flag.value}` : ''}`,
        flag.isRequired ? `${flag.help}; required` : flag.help,
      ]),
    ),
  ].join('\n')

const usage = ({ words, operands = [] }: Command): string => [...words, ...operands].join(' ')

/** A longer name moves its own line, and not all others. */
const maxWidth = 26

const columns = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= maxWidth))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

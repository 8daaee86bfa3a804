import { toConfig } from '../config/config.ts'
import { type Given, readVariables, type Variable } from '../config/read-variables.ts'
import { variables } from '../config/variables.ts'
import type { Command } from './command.ts'
import { dataFlag, hostFlag, portFlag, variableFlags } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

export const config: Command = {
  words: ['config'],
  summary: 'print all settings and where each comes from; hides secrets',
  flags: [jsonFlag, hostFlag, portFlag, dataFlag],
  run: (flags) => {
    const given = readVariables(variables, process.env, variableFlags(flags))
    toConfig(given)
    const rows = variables.map((variable) => toRow(variable, given[variable.name]))
    if (flags.json !== true)
      return printTable(
        ['SETTING', 'VALUE', 'FROM'],
        rows.map(({ name, value, isSet, source }) => [name, value ?? (isSet ? '(set)' : '(not set)'), source]),
      )
    return printJson(rows)
  },
}

/** The part of a setting that may be shown. For most secrets, only whether it is set. */
export const toRow = ({ name, secret, show }: Variable, { value, source }: Given) => ({
  name,
  value: value === '' ? null : secret ? (show?.(value) ?? null) : value,
  isSet: value !== '',
  source,
})

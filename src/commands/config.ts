import { toConfig } from '../config/config.ts'
import { type Given, readSettings, type Setting } from '../config/read-settings.ts'
import { settings } from '../config/settings.ts'
import type { Command } from './command.ts'
import { dataFlag, hostFlag, portFlag, settingFlags } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

export const config: Command = {
  words: ['config'],
  summary: 'print all settings and where each comes from; hides secrets',
  flags: [jsonFlag, hostFlag, portFlag, dataFlag],
  run: (flags) => {
    const given = readSettings(settings, process.env, settingFlags(flags))
    toConfig(given)
    const rows = settings.map((setting) => toRow(setting, given[setting.name]))
    if (flags.json !== true)
      return printTable(
        ['SETTING', 'VALUE', 'FROM'],
        rows.map(({ name, value, isSet, source }) => [name, value ?? (isSet ? '(set)' : '(not set)'), source]),
      )
    return printJson(rows)
  },
}

/** The part of a setting that may be shown. For most secrets, only whether it is set. */
export const toRow = ({ name, secret, show }: Setting, { value, source }: Given) => ({
  name,
  value: value === '' ? null : secret ? (show?.(value) ?? null) : value,
  isSet: value !== '',
  source,
})

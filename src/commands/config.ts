import { settings, toConfig } from '../config.ts'
import { type Given, readSettings, type Setting } from '../settings.ts'
import type { Flags } from './flags.ts'
import { printJson, printTable } from './print.ts'
import { settingFlags } from './setting-flags.ts'

export const run = async (flags: Flags): Promise<number> => {
  const given = readSettings(settings, process.env, settingFlags(flags))
  toConfig(given)
  const rows = settings.map((setting) => toRow(setting, given[setting.name]))
  if (flags.json !== true)
    return printTable(
      ['SETTING', 'VALUE', 'FROM'],
      rows.map(({ name, value, isSet, source }) => [name, value ?? (isSet ? '(set)' : '(not set)'), source]),
    )
  return printJson(rows)
}

/** What may be shown of a setting: of a secret, whether it is set. */
export const toRow = ({ name, secret }: Setting, { value, source }: Given) => ({
  name,
  value: secret || value === '' ? null : value,
  isSet: value !== '',
  source,
})

import { type Config, parseConfig, type SettingName } from '../config.ts'
import type { Flag, Flags } from './command.ts'

export const hostFlag: Flag = { name: 'host', value: 'H', help: 'address to listen on (FORMBOX_HOST)' }
export const portFlag: Flag = { name: 'port', value: 'P', help: 'port to listen on (FORMBOX_PORT)' }
export const dataFlag: Flag = { name: 'data', value: 'DIR', help: 'data folder (FORMBOX_DATA)' }

/** The settings in force for a command. @throws UsageError that names the one which cannot be used */
export const configFor = (flags: Flags): Config => parseConfig(process.env, settingFlags(flags))

/** What was given by flag instead of by variable. */
export const settingFlags = (flags: Flags): Partial<Record<SettingName, string | undefined>> => ({
  FORMBOX_HOST: flags.host as string | undefined,
  FORMBOX_PORT: flags.port as string | undefined,
  FORMBOX_DATA: flags.data as string | undefined,
})

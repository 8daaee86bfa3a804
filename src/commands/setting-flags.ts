import { type Config, parseConfig } from '../config/config.ts'
import type { SettingName } from '../config/settings.ts'
import type { Flag, Flags } from './command.ts'

export const hostFlag: Flag = { name: 'host', value: 'HOST', help: 'address to listen on (FORMBOX_HOST)' }
export const portFlag: Flag = { name: 'port', value: 'PORT', help: 'port to listen on (FORMBOX_PORT)' }
export const dataFlag: Flag = { name: 'data', value: 'DIR', help: 'data folder (FORMBOX_DATA)' }

/** @throws AppError `invalid` that names the setting or flag with a bad value */
export const configFor = (flags: Flags): Config => parseConfig(process.env, settingFlags(flags))

/** The settings that were given as flags. */
export const settingFlags = (flags: Flags): Partial<Record<SettingName, string | undefined>> => ({
  FORMBOX_HOST: flags.host as string | undefined,
  FORMBOX_PORT: flags.port as string | undefined,
  FORMBOX_DATA: flags.data as string | undefined,
})

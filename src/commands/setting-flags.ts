import { type Config, parseConfig, type SettingName } from '../config.ts'
import type { Flags } from './flags.ts'

/** The settings in force for a command. @throws UsageError that names the one which cannot be used */
export const configFor = (flags: Flags): Config => parseConfig(process.env, settingFlags(flags))

/** What was given by flag instead of by variable. */
export const settingFlags = (flags: Flags): Partial<Record<SettingName, string | undefined>> => ({
  FORMBOX_HOST: flags.host as string | undefined,
  FORMBOX_PORT: flags.port as string | undefined,
  FORMBOX_DATA: flags.data as string | undefined,
})

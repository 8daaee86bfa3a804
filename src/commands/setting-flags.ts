import type { SettingName } from '../config.ts'
import type { Flags } from './flags.ts'

/** What was given by flag instead of by variable. */
export const settingFlags = (flags: Flags): Partial<Record<SettingName, string | undefined>> => ({
  FORMBOX_HOST: flags.host as string | undefined,
  FORMBOX_PORT: flags.port as string | undefined,
  FORMBOX_DATA: flags.data as string | undefined,
})

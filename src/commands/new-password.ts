import { checkPassword, newPassword } from '../accounts/passwords.ts'
import type { Flags } from './flags.ts'

/**
 * The password from standard input with `--password-stdin`, otherwise a random one, which has to be shown.
 *
 * @throws UsageError when the one that was given is too short or too long
 */
export const readOrMakePassword = async (flags: Flags): Promise<{ password: string; isMade: boolean }> =>
  flags['password-stdin'] === true
    ? { password: checkPassword((await Bun.stdin.text()).replace(/\r?\n$/, '')), isMade: false }
    : { password: newPassword(), isMade: true }

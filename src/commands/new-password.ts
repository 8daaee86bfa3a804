import { UsageError } from '../errors.ts'
import { checkPassword, newPassword } from '../users/passwords.ts'
import type { Flag, Flags } from './command.ts'

export const passwordStdinFlag: Flag = {
  name: 'password-stdin',
  help: 'read the password from standard input instead of making one',
}

/**
 * The password from standard input with `--password-stdin`, otherwise a random one, which has to be shown.
 *
 * @throws UsageError when the one that was given is too short, too long or not UTF-8
 */
export const readOrMakePassword = async (flags: Flags): Promise<{ password: string; isMade: boolean }> =>
  flags['password-stdin'] === true
    ? { password: checkPassword(decode(await Bun.stdin.bytes()).replace(/\r?\n$/, '')), isMade: false }
    : { password: newPassword(), isMade: true }

/** Replaced by U+FFFD, what is not UTF-8 would make a password that nobody can type. */
const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError('password: must be UTF-8')
  }
}

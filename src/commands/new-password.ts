import { invalid } from '../errors.ts'
import { checkPassword, newPassword } from '../users/passwords.ts'
import type { Flag, Flags } from './command.ts'

export const passwordStdinFlag: Flag = {
  name: 'password-stdin',
  help: 'read the password from standard input instead of generating one',
}

/**
 * The password from standard input with `--password-stdin`, otherwise a random one, which the caller has to print.
 *
 * @throws AppError `invalid` if the given password is too short, too long or not UTF-8
 */
export const readOrMakePassword = async (flags: Flags): Promise<{ password: string; isMade: boolean }> =>
  flags['password-stdin'] === true
    ? { password: checkPassword(decode(await Bun.stdin.bytes()).replace(/\r?\n$/, '')), isMade: false }
    : { password: newPassword(), isMade: true }

/** Strict, because a password with U+FFFD in place of invalid bytes could never be typed again. */
const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid({ field: 'password', message: 'must be UTF-8' })
  }
}

import { UsageError } from '../errors.ts'

/** Characters that a password may have. */
const length = { minimum: 12, maximum: 256 }

/** @throws UsageError */
export const checkPassword = (password: string): string => {
  const characters = [...password].length
  if (characters >= length.minimum && characters <= length.maximum) return password
  throw new UsageError(`password: must be ${length.minimum} to ${length.maximum} characters, has ${characters}`)
}

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, 'argon2id')

/** 24 random letters and digits, 120 bits, without those that look alike. */
export const newPassword = (): string =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => alphabet[byte & 31]).join('')
const alphabet = '23456789abcdefghijkmnpqrstuvwxyz'

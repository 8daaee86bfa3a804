import { invalid } from '../errors.ts'

/**
 * The address with its ASCII letters in lower case: of others, two would become one, such as the Kelvin sign and `k`. Only its shape is checked (a name, `@` and a host), because nothing is ever sent to it.
 *
 * @throws AppError `invalid`
 */
export const parseEmail = (text: string): string => {
  const email = text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)) return email
  throw invalid({
    field: 'email',
    message: `must be an address of at most 254 characters; got ${JSON.stringify(text.slice(0, 300))}`,
  })
}

import { invalid } from '../../base/errors.ts'
import { inLowerAscii } from '../../base/mail-address.ts'

/**
 * The address with its ASCII letters in lower case. Only its shape is checked (a name, `@` and a host), because nothing is
 * ever sent to it.
 *
 * @throws AppError `invalid`
 */
export const parseEmail = (text: string): string => {
  const email = inLowerAscii(text.trim())
  if (email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)) return email
  throw invalid({
    field: 'email',
    message: `must be an address of at most 254 characters; got ${JSON.stringify(text.slice(0, 300))}`,
  })
}

import { expect, test } from 'bun:test'
import { parseEmail } from '../../src/accounts/users/email.ts'

test('an address has its ASCII letters in lower case, and no others', () => {
  expect(parseEmail(' Mark@Example.COM ')).toBe('mark@example.com')
  // The Kelvin sign, whose lower case is an ASCII k.
  expect(parseEmail('mar\u212a@example.com')).toBe('mar\u212a@example.com')
})

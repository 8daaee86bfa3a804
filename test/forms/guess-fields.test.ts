import { expect, test } from 'bun:test'
import { guessFields } from '../../src/forms/fields/guess-fields.ts'

test.each([
  ['text', ['name', 'Full Name', 'hotel', 'update', 'profile', 'curl', 'company']],
  ['email', ['email', 'E-Mail', 'mail_address']],
  ['tel', ['tel', 'Telefon', 'phone-number', 'handy']],
  ['lines', ['message', 'Nachricht', 'notes']],
  ['date', ['date', 'start-date', 'Geburts.Datum']],
  ['url', ['website', 'url']],
  ['choices', ['tags[]', 'Interests[]']],
  ['file', ['cv', 'File', 'photos', 'my-attachment', 'Lebenslauf']],
] as const)('guesses the type %s from names', (type, names) => {
  expect(guessFields(names)).toEqual(names.map((name) => ({ name, type })))
})

test('leaves out names that mean something by themselves, and those that no field can have', () => {
  expect(guessFields(['_replyto', ' ', 'x'.repeat(101)])).toEqual([])
})

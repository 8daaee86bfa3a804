import { expect, test } from 'bun:test'
import { withoutAddresses } from '../../src/forms/settings/notify-entries.ts'

test('entries are found by their address, in whatever case, whether or not they say more', () => {
  const digest = { address: 'Grace@example.com', only: null, digest: 'day' } as const
  const entries = ['ada@example.com', digest, 'eve@example.com']
  expect(withoutAddresses(entries, ['ADA@example.com', 'grace@EXAMPLE.com'])).toEqual(['eve@example.com'])
  expect(withoutAddresses(entries, [])).toEqual(entries)
  expect(withoutAddresses(entries, ['example.com'])).toEqual(entries)
})

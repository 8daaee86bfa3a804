import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import { hostAddresses, toReason } from '../../src/server/listen.ts'

describe('the addresses of a host', () => {
  test.each(['127.0.0.1', '0.0.0.0', '192.0.2.1', '::', '2001:db8::1'])('%s is its own', async (address) => {
    expect(await hostAddresses(address)).toEqual([address])
  })

  test('that has a name are those of the resolver, IPv6 first', async () => {
    const addresses = await hostAddresses('localhost')
    expect(addresses.length).toBeGreaterThan(0)
    const families = addresses.map(isIP)
    expect(families).toEqual(families.toSorted().toReversed())
  })

  test('are none of a name that no host can have', async () => {
    await expect(hostAddresses('x'.repeat(64))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'there is no host with this name',
    })
  })

  test.each([
    ['ENOTFOUND', 'there is no host with this name'],
    ['ENODATA', 'there is no host with this name'],
    ['EAI_AGAIN', 'the name cannot be resolved at the moment (EAI_AGAIN)'],
    ['ECONNREFUSED', 'the name cannot be resolved at the moment (ECONNREFUSED)'],
    ['ETIMEOUT', 'the name cannot be resolved at the moment (ETIMEOUT)'],
  ])('that the resolver answers with %s: %s', (code, reason) => {
    expect(toReason(code)).toBe(reason)
  })
})

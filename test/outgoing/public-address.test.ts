import { describe, expect, test } from 'bun:test'
import { parseNetworks, parseReceivers } from '../../src/config/networks.ts'
import { reachableOf } from '../../src/remote/checked-lookup.ts'
import { isReachable } from '../../src/remote/public-address.ts'
import { refusalOf } from '../refusal.ts'
import { resolverFor } from './name-server.ts'

const networks = (list: string) => parseNetworks('networks', list)
const none = networks('')

describe('an address', () => {
  test.each([
    ['1.1.1.1', true],
    ['8.8.8.8', true],
    ['172.15.255.255', true],
    ['172.32.0.0', true],
    ['223.255.255.255', true],
    ['0.0.0.0', false],
    ['0.1.2.3', false],
    ['10.255.255.255', false],
    ['100.127.255.255', false],
    ['100.128.0.0', true],
    ['127.0.0.1', false],
    ['127.255.255.255', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['172.31.255.255', false],
    ['192.0.0.170', false],
    ['192.0.2.1', false],
    ['192.88.99.1', false],
    ['192.168.0.1', false],
    ['198.19.255.255', false],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['224.0.0.1', false],
    ['239.255.255.255', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
    ['2606:4700:4700::1111', true],
    ['2a00:1450:4001::200e', true],
    ['2001:4860:4860::8888', true],
    ['::', false],
    ['::1', false],
    ['::ffff:8.8.8.8', false],
    ['::ffff:127.0.0.1', false],
    ['::8.8.8.8', false],
    ['64:ff9b::8.8.8.8', false],
    ['64:ff9b:1::1', false],
    ['100::1', false],
    ['2001::1', false],
    ['2001:1ff::1', false],
    ['2001:db8::1', false],
    ['2002:7f00:1::', false],
    ['3fff::1', false],
    ['4000::1', false],
    ['5f00::1', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['2606:4700:4700::1111%eth0', true],
    ['fec0::1', false],
    ['ff02::1', false],
    ['', false],
    ['localhost', false],
    ['127.0.0.1\0', false],
  ])('%p is public: %p', (address, isPublic) => {
    expect(isReachable(none, address)).toBe(isPublic)
  })

  test.each([
    ['192.168.1.0/24', '192.168.1.7', true],
    ['192.168.1.0/24', '192.168.2.7', false],
    ['192.168.1.0/24', '1.1.1.1', true],
    ['fd00::/8', 'fd12::1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['64:ff9b::/96', '64:ff9b::8.8.8.8', true],
    ['::/0', '::1', true],
    ['::1', '127.0.0.1', false],
  ])('with %s allowed, %p can be used: %p', (allowed, address, isAllowed) => {
    expect(isReachable(networks(allowed), address)).toBe(isAllowed)
  })
})

// A name server may give several addresses at once, and others the next time.
describe('of the addresses of a name', () => {
  const toFound = (addresses: readonly string[]) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const reachable = async (found: readonly string[]) => {
    const { resolver } = await resolverFor({ hosts: found.map((address) => `${address} a.example\n`).join('') })
    return await reachableOf(none, 'a.example', resolver)
  }

  test.each([
    [
      ['1.1.1.1', '2606:4700:4700::1111'],
      ['1.1.1.1', '2606:4700:4700::1111'],
    ],
    [['127.0.0.1', '1.1.1.1'], ['1.1.1.1']],
    [['1.1.1.1', '169.254.169.254', '::1', '::ffff:10.0.0.1'], ['1.1.1.1']],
    [['127.0.0.1', '::1'], []],
  ])('%p are used: %p', async (found, used) => {
    expect(await reachable(found)).toEqual(toFound(used))
  })

  test('all are used if the name is allowed, and only then', async () => {
    const { resolver } = await resolverFor({ hosts: '10.0.0.7 n8n Other.example\n' })
    const allowed = parseReceivers('SETTING', 'N8N, other.example.com 192.168.1.1')
    const find = (host: string) => reachableOf(allowed, host, resolver)
    expect(await find('n8n')).toEqual(toFound(['10.0.0.7']))
    expect(await find('other.example')).toEqual([])
    expect([allowed.contains('192.168.1.1'), allowed.contains('10.0.0.7')]).toEqual([true, false])
  })

  test.each(['10.0.0.256', '1.2.3', 'a..b', 'http://n8n', 'n8n:5678', 'a/24', '10.0.0.0/33', '*.example.com'])(
    '%s is no name',
    (entry) => {
      const message = `SETTING: ${JSON.stringify(entry)} is neither a name, an IP address nor a CIDR range`
      expect(refusalOf(() => parseReceivers('SETTING', entry))).toBe(message)
    },
  )

  test('at most eight are tried', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `1.1.${i >> 8}.${i & 255}`)
    expect(await reachable(many)).toEqual(toFound(many.slice(0, 8)))
  })
})

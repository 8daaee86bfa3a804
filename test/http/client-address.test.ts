import { describe, expect, test } from 'bun:test'
import { parseNetworks } from '../../src/config/networks.ts'
import { parseProxies } from '../../src/config/proxies.ts'
import { addressKey, clientAddress } from '../../src/http/client-address.ts'
import { refusalOf } from '../refusal.ts'

const networks = (list: string) => parseNetworks('SETTING', list)

describe('parseNetworks', () => {
  test.each([
    ['', '127.0.0.1', false],
    [' , ', '127.0.0.1', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['fd00::/8', 'fdff::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
    ['::/0', '::1', true],
    ['10.0.0.1, 192.0.2.0/24\n2001:db8::/32', '192.0.2.77', true],
    ['10.0.0.1, 192.0.2.0/24\n2001:db8::/32', '2001:db8:ffff::', true],
    ['10.0.0.1, 192.0.2.0/24\n2001:db8::/32', '10.0.0.2', false],
    ['0.0.0.0/0', '', false],
    ['0.0.0.0/0', 'unknown', false],
    ['0.0.0.0/0', '10.0.0.1:80', false],
  ])('%p contains %p: %p', (list, address, isContained) => {
    expect(networks(list).contains(address)).toBe(isContained)
  })

  test.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/1e1',
    'host',
    '10.0',
    '[::1]',
  ])('refuses %p and names the setting and the entry', (entry) => {
    const message = `SETTING: ${JSON.stringify(entry)} is neither an IP address nor a CIDR range`
    expect(refusalOf(() => networks(`127.0.0.1, ${entry}`))).toBe(message)
  })
})

describe('parseProxies', () => {
  test.each(['0.0.0.0/0', '::/0', '10.0.0.0/8, ::/0', '10.1.2.3/00 192.0.2.1'])(
    'refuses %p, which is everyone',
    (list) => {
      const [range] = list.match(/\S+\/0+(?!\d)/) ?? []
      expect(refusalOf(() => parseProxies('FORMBOX_TRUST_PROXY', list))).toBe(
        `FORMBOX_TRUST_PROXY: "${range}" would let every visitor claim any address; name the proxies, or how many there are, 1 to 10`,
      )
    },
  )

  test.each(['0', '11', '00', '999999999999'])('refuses %p proxies', (count) => {
    expect(refusalOf(() => parseProxies('FORMBOX_TRUST_PROXY', count))).toBe(
      `FORMBOX_TRUST_PROXY: must be 1 to 10 as a number of proxies; got ${count}`,
    )
  })

  test.each([
    // The address that the last proxy has seen, whatever stands before it.
    ['1', '198.51.100.1', '198.51.100.1'],
    ['1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['2', '203.0.113.9, 198.51.100.1, 192.0.2.1', '198.51.100.1'],
    ['10', '198.51.100.1, 192.0.2.1', '198.51.100.1'],
    // Fewer than there should be: the leftmost.
    ['3', '198.51.100.1', '198.51.100.1'],
    ['2', 'unknown, 192.0.2.1', '192.0.2.1'],
    ['1', 'unknown', '10.9.8.7'],
    ['1', '', '10.9.8.7'],
    ['1', null, '10.9.8.7'],
    [
      '10',
      Array(12)
        .fill(0)
        .map((_, i) => `192.0.2.${i}`)
        .join(),
      '192.0.2.2',
    ],
  ])('with %p, the client of %p is %p', (count, forwardedFor, client) => {
    expect(clientAddress('10.9.8.7', forwardedFor, parseProxies('FORMBOX_TRUST_PROXY', count))).toBe(client)
  })
})

describe('clientAddress', () => {
  const trusted = networks('127.0.0.1, 10.0.0.0/8, fd00::/8')

  test.each([
    ['203.0.113.9', null, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['127.0.0.1', null, '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['fd00::1', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '192.0.2.1, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '192.0.2.1, 198.51.100.1, 10.0.0.2, fd00::2', '198.51.100.1'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['127.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['127.0.0.1', '2001:db8::1', '2001:db8::1'],
    ['127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '[::ffff:198.51.100.1]:80', '198.51.100.1'],
    ['127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1, _hidden, 10.0.0.2', '10.0.0.2'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1,', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.300', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1:http', '127.0.0.1'],
    ['', '198.51.100.1', ''],
  ])('of a connection from %p with X-Forwarded-For %p is %p', (socketAddress, forwardedFor, client) => {
    expect(clientAddress(socketAddress, forwardedFor, trusted)).toBe(client)
  })

  test('is the one of the connection where no proxy is declared', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', networks(''))).toBe('127.0.0.1')
  })

  // RFC 4291 section 2.2 knows several spellings for the same address.
  test.each(['::ffff:c633:6401', '0:0:0:0:0:ffff:198.51.100.1', '0::ffff:198.51.100.1'])(
    'is the IPv4 address that is mapped as %p',
    (mapped) => {
      expect(clientAddress('127.0.0.1', mapped, trusted)).toBe('198.51.100.1')
    },
  )
})

describe('addressKey', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:1::2:3:4:5', '2001:db8:1:0::/64'],
    ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('of %p is %p', (address, key) => {
    expect(addressKey(address)).toBe(key)
  })
})

import { type Networks, parseNetworks } from '../config/networks.ts'

/** Whether Formbox may connect to an address: it is public, or the operator allowed it. */
export const isReachable = (allowed: Networks, address: string): boolean => {
  // A link-local address can carry a zone, as in `fe80::1%eth0`.
  const bare = address.replace(/%.*/s, '')
  return allowed.contains(bare) || isPublic(bare)
}

const isPublic = (address: string): boolean =>
  address.includes(':')
    ? globalUnicast.contains(address) && !special6.contains(address)
    : allOf4.contains(address) && !special4.contains(address)

const networks = (...list: readonly string[]) => parseNetworks('networks', list.join(' '))

const allOf4 = networks('0.0.0.0/0')

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890) and multicast: this network, private, shared, loopback,
 * link-local with the metadata services of clouds, documentation, benchmarks, relays, reserved, broadcast.
 */
const special4 = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
)

/**
 * The addresses that IANA gives out of IPv6. Outside of it are loopback, unique local, link-local and multicast addresses,
 * and the forms that hold an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96) and NAT64 (64:ff9b::/96,
 * 64:ff9b:1::/48).
 */
const globalUnicast = networks('2000::/3')

/**
 * Exceptions among those: Teredo, ORCHID and other protocols; documentation; 6to4, which holds an IPv4 address;
 * documentation.
 */
const special6 = networks('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20')

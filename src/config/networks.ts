import { BlockList, isIP } from 'node:net'
import { invalid } from '../base/errors.ts'

/** A set of addresses and CIDR ranges. */
export interface Networks {
  readonly isEmpty: boolean
  /** @param host an address, or a name where names are part of it (see `parseReceivers`) */
  contains(host: string): boolean
}

/** Every address, where the operator chose the host. With it, names are looked up as all others are. */
export const anywhere: Networks = { isEmpty: false, contains: () => true }

/** @throws AppError `invalid` that names the variable and the entry that is neither an address nor a CIDR range */
export const parseNetworks = (
  variable: string,
  list: string,
  isNone = 'neither an IP address nor a CIDR range',
): Networks => {
  const blocks = new BlockList()
  const entries = list.split(/[\s,]+/).filter(Boolean)
  for (const entry of entries) {
    const [address = '', prefix, ...rest] = entry.split('/')
    const version = isIP(address)
    const bits = version === 4 ? 32 : 128
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    if (version === 0 || rest.length > 0 || !(length <= bits))
      throw invalid({ field: variable, message: `${JSON.stringify(entry)} is ${isNone}` })
    blocks.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6')
  }
  if (entries.length === 0) return { isEmpty: true, contains: () => false }
  return {
    isEmpty: false,
    contains: (address) => {
      const version = isIP(address)
      return version !== 0 && blocks.check(address, version === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** Labels of letters, digits, hyphens and underscores, which Docker has in names; the last one is not all digits. */
const hostName = /^(?:[a-z0-9_-]{1,63}\.)*(?=[a-z0-9_-]*[a-z_-])[a-z0-9_-]{1,63}$/

/**
 * Addresses, CIDR ranges and names of hosts, in lower case. A name is contained as such: whether what it resolves to is
 * allowed follows from it alone, so another name with the same address is not.
 *
 * @throws AppError `invalid` as `parseNetworks`
 */
export const parseReceivers = (variable: string, list: string): Networks => {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  const names = new Set(entries.filter((entry) => isIP(entry) === 0 && hostName.test(entry)))
  const others = entries.filter((entry) => !names.has(entry))
  const networks = parseNetworks(variable, others.join(' '), 'neither a name, an IP address nor a CIDR range')
  if (names.size === 0) return networks
  return { isEmpty: false, contains: (host) => names.has(host) || networks.contains(host) }
}

/** Whether the host of a URL is this machine: `localhost`, or a loopback address (RFC 1122 section 3.2.1.3, RFC 4291). */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|\[::1\])$/i.test(host)

/** Whether an address is this machine's, or one of a network of one's own (RFC 1918, RFC 4193, RFC 3927). */
export const isPrivate = (address: string): boolean =>
  isLoopback(address) || ownNetworks().contains(address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/s, ''))

/** Made when one is asked for: at a start it took 1 ms. */
const ownNetworks = () =>
  parseNetworks('networks', '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 fc00::/7 fe80::/10')

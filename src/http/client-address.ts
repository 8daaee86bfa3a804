import { isIP } from 'node:net'
import type { Networks } from '../networks.ts'
import type { Exchange } from './exchange.ts'

/** The address of the client that sent a request. */
export const clientOf = (exchange: Exchange, trusted: Networks): string => {
  const forwardedFor = trusted.isEmpty ? null : exchange.request.headers.get('x-forwarded-for')
  return clientAddress(exchange.socketAddress(), forwardedFor, trusted)
}

/**
 * The address that a request came from: the socket's, or, behind declared proxies, the rightmost address of
 * `X-Forwarded-For` that is not one of them. What stands further left was written by the client and proves nothing.
 */
export const clientAddress = (socketAddress: string, forwardedFor: string | null, trusted: Networks): string => {
  let client = withoutMapping(socketAddress)
  if (forwardedFor === null) return client
  const hops = forwardedFor.split(',')
  while (trusted.contains(client)) {
    const hop = hops.pop()
    if (hop === undefined) break
    const address = withoutMapping(withoutPort(hop.trim()))
    if (isIP(address) === 0) break
    client = address
  }
  return client
}

/** What a limit counts by: an IPv4 address, or the /64 of an IPv6 one, since a subscriber owns at least that much. */
export const addressKey = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end stands for two groups.
  const groups = left.length + right.length + (address.includes('.') ? 1 : 0)
  const all = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - groups)).fill('0'), ...right]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/** `::ffff:192.0.2.1` is how a dual-stack socket shows an IPv4 client (RFC 4291 section 2.5.5.2). */
const withoutMapping = (address: string): string => {
  if (!address.includes(':') || isIP(address) === 0) return address
  // The URL parser knows every spelling and has one of its own.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? []
  if (high === undefined || low === undefined) return address
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop

import { isIP } from 'node:net'
import type { TrustedProxies } from '../config/proxies.ts'
import type { Exchange } from './exchange.ts'

/** The address of the client that sent a request. */
export const clientOf = (exchange: Exchange, trusted: TrustedProxies): string => {
  const forwardedFor = trusted.isEmpty ? null : exchange.request.headers.get('x-forwarded-for')
  return clientAddress(exchange.socketAddress(), forwardedFor, trusted)
}

/**
 * The address that a request came from: the socket's, or, behind trusted proxies, the rightmost address in
 * `X-Forwarded-For` that is not one of them. Addresses further left may have been made up by the client. If there are fewer
 * addresses than trusted proxies, it is the leftmost.
 */
export const clientAddress = (socketAddress: string, forwardedFor: string | null, trusted: TrustedProxies): string => {
  let client = withoutMapping(socketAddress)
  if (forwardedFor === null) return client
  const hops = forwardedFor.split(',')
  for (let count = 0; trusted.contains(client, count); count++) {
    const hop = hops.pop()
    if (hop === undefined) break
    const address = withoutMapping(withoutPort(hop.trim()))
    if (isIP(address) === 0) break
    client = address
  }
  return client
}

/**
 * The key for limits: an IPv4 address, or the /64 network of an IPv6 address, because a subscriber has at least that
 * much.
 */
export const addressKey = (address: string): string => {
  if (!address.includes(':') || isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end counts as two groups.
  const groups = left.length + right.length + (address.includes('.') ? 1 : 0)
  const all = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - groups)).fill('0'), ...right]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/** A dual-stack socket shows an IPv4 client as `::ffff:192.0.2.1` (RFC 4291 section 2.5.5.2). */
const withoutMapping = (address: string): string => {
  if (!address.includes(':') || isIP(address) === 0) return address
  // The URL parser reads every spelling and returns one.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${address}]`)?.hostname ?? '') ?? []
  if (high === undefined || low === undefined) return address
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop

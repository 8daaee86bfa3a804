import { invalid } from '../base/errors.ts'
import { parseNetworks } from './networks.ts'

/** Whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  readonly isEmpty: boolean
  /** @param hops how many proxies are between this address and the server */
  contains(address: string, hops: number): boolean
}

const maxHops = 10

/**
 * Reads addresses and CIDR ranges, or how many proxies there are: platforms have proxies without a fixed address.
 *
 * @throws AppError `invalid` that names the variable, also for a range of all addresses
 */
export const parseProxies = (variable: string, list: string): TrustedProxies => {
  if (/^\s*\d+\s*$/.test(list)) {
    const count = Number(list)
    if (count >= 1 && count <= maxHops) return { isEmpty: false, contains: (_, hops) => hops < count }
    throw invalid({ field: variable, message: `must be 1 to ${maxHops} as a number of proxies; got ${list.trim()}` })
  }
  const [ofAll] = list.match(/[^\s,]*\/0+(?=[\s,]|$)/) ?? []
  if (ofAll !== undefined)
    throw invalid({
      field: variable,
      message:
        `${JSON.stringify(ofAll)} would let every visitor claim any address; ` +
        `name the proxies, or how many there are, 1 to ${maxHops}`,
    })
  return parseNetworks(variable, list)
}

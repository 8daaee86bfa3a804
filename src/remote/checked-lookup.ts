import { type LookupAddress, Resolver, setServers } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Networks } from '../config/networks.ts'
import { refusedAddress } from './no-answer.ts'
import { isReachable } from './public-address.ts'

/** A host that resolves to more addresses than this is tried at the first of them. */
const maxAddresses = 8

/**
 * A resolver for `node:net`, which connects to the addresses that it returns and to no others. So a name whose address
 * changes between a check and the connection gains nothing.
 */
export const checkedLookup =
  (allowed: Networks): LookupFunction =>
  (host, _options, callback) => {
    const answer = (found: readonly LookupAddress[]): void => {
      const reachable = reachableOf(allowed, found)
      // Bun throws an uncaught exception if it is given an empty list.
      if (reachable.length === 0) callback(refusedAddress(), [])
      else callback(null, reachable)
    }
    resolve(host).then(answer, (error: Error) => callback(error, []))
  }

/** Returns those of a name's addresses that Formbox may connect to. */
export const reachableOf = (allowed: Networks, found: readonly LookupAddress[]): LookupAddress[] =>
  found.filter(({ address }) => isReachable(allowed, address)).slice(0, maxAddresses)

/**
 * Resolves a name by the hosts file and DNS. Rejects within half a minute if nothing answers.
 *
 * Not with `lookup` of node:dns, which waits in one of a few threads: forty names whose name servers are silent then kept
 * all other names waiting for minutes.
 */
export const resolve = async (host: string): Promise<LookupAddress[]> => {
  followSettings()
  return await Bun.dns.lookup(host, { backend: 'c-ares' })
}

const followMilliseconds = 10_000
let readAt = Number.NEGATIVE_INFINITY
let servers: string | undefined

/** The resolver reads which name servers to ask only once: before the network is up, or the machine moves to another. */
const followSettings = (): void => {
  if (performance.now() - readAt < followMilliseconds) return
  readAt = performance.now()
  const current = new Resolver().getServers()
  const isKnown = servers === undefined || servers === current.join()
  try {
    if (!isKnown) setServers(current)
    servers = current.join()
  } catch {
    // Not while it waits for one of them.
  }
}

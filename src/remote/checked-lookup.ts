import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Networks } from '../config/networks.ts'
import { refusedAddress } from './no-answer.ts'
import { isReachable } from './public-address.ts'
import { openResolver, type Resolver } from './resolver.ts'

/** The resolver of this process. */
export const usualResolver = openResolver()

/**
 * A resolver for `node:net`, which connects to the addresses that it returns and to no others. So a name whose address
 * changes between a check and the connection gains nothing.
 */
export const checkedLookup =
  (allowed: Networks, resolver: Resolver): LookupFunction =>
  (host, _options, callback) => {
    const answer = (reachable: readonly LookupAddress[]): void => {
      // Bun throws an uncaught exception if it is given an empty list.
      if (reachable.length === 0) callback(refusedAddress(), [])
      else callback(null, [...reachable])
    }
    reachableOf(allowed, host, resolver).then(answer, (error: Error) => callback(error, []))
  }

/** Returns those of a name's addresses that Formbox may connect to: all, if the name is allowed. Rejects as `resolve` does. */
export const reachableOf = (allowed: Networks, host: string, resolver: Resolver): Promise<LookupAddress[]> => {
  const isNamed = allowed.contains(host)
  return resolver.resolve(host, (address) => isNamed || isReachable(allowed, address))
}

import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Networks } from '../config/networks.ts'
import { refusedAddress } from './no-answer.ts'
import { isReachable } from './public-address.ts'
import { resolve } from './resolve.ts'

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

/** Those of a name's addresses that Formbox may connect to. */
export const reachableOf = (allowed: Networks, found: readonly LookupAddress[]): LookupAddress[] =>
  found.filter(({ address }) => isReachable(allowed, address)).slice(0, maxAddresses)

import { type LookupAddress, lookup } from 'node:dns'
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
    lookup(host, { all: true }, (error, found) => {
      if (error) return callback(error, [])
      const reachable = reachableOf(allowed, found)
      // Bun throws an uncaught exception if it is given an empty list.
      if (reachable.length === 0) return callback(refusedAddress(), [])
      callback(null, reachable)
    })
  }

/** Those of a name's addresses that Formbox may connect to. */
export const reachableOf = (allowed: Networks, found: readonly LookupAddress[]): LookupAddress[] =>
  found.filter(({ address }) => isReachable(allowed, address)).slice(0, maxAddresses)

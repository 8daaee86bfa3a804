import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '../errors.ts'

/**
 * The addresses of a host on which a server can try to listen: those of IPv6 first, as Bun tries them. An address is its
 * own, and no resolver is asked. Bun would resolve a name by itself, but then tells of whatever error came last.
 *
 * @throws AppError `unavailable` that says why the name has no address
 */
export const hostAddresses = async (host: string): Promise<string[]> => {
  if (isIP(host)) return [host]
  try {
    const found = await lookup(host, { all: true })
    return found.sort((one, other) => other.family - one.family).map(({ address }) => address)
  } catch (error) {
    throw new AppError('unavailable', toReason((error as { code?: unknown }).code))
  }
}

/** What a code of the resolver means for the operator. */
export const toReason = (code: unknown): string => {
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'there is no host with this name'
  return `the name cannot be resolved at the moment (${code})`
}

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '../errors.ts'

/**
 * The addresses of a host to try to listen on: IPv6 first, in Bun's order. An address is returned as it is. Bun can
 * resolve names itself, but reports only the last error.
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

/** Explains a resolver's error code to the operator. */
export const toReason = (code: unknown): string => {
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'there is no host with this name'
  return `the name cannot be resolved at the moment (${code})`
}

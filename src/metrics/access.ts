import { AppError, forbidden } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import type { Networks } from '../networks.ts'
import { secureCompare } from '../secure-compare.ts'

interface MetricsAccess {
  /** What a scraper sends as `Authorization: Bearer …`; null when it would not help. */
  readonly token: string | null
  /** Who needs no token. */
  readonly allowed: Networks
}

/** Without either, there is no `/metrics`. */
export const isMeasured = ({ token, allowed }: MetricsAccess): boolean => token !== null || !allowed.isEmpty

/**
 * Lets through whoever has the token, or comes from an address that needs none.
 *
 * @throws AppError `unauthenticated` where a token would help, otherwise `forbidden`
 */
export const createMetricsCheck = ({ token, allowed }: MetricsAccess, trustedProxies: Networks) => {
  const isAllowed = (socketAddress: string, forwardedFor: string | null): boolean => {
    const client = clientAddress(socketAddress, forwardedFor, trustedProxies)
    // A proxy that was not declared: its own address, perhaps this machine's, would stand for everybody behind it.
    const isHidden = forwardedFor !== null && client === clientAddress(socketAddress, null, trustedProxies)
    return !isHidden && allowed.contains(client)
  }

  return (headers: Headers, socketAddress: string): void => {
    if (isAllowed(socketAddress, headers.get('x-forwarded-for'))) return
    if (token === null) throw forbidden()
    const authorization = headers.get('authorization')
    if (authorization === null) throw new AppError('unauthenticated', 'Authorization not provided')
    const given = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
    if (given === undefined || !secureCompare(given, token)) throw new AppError('unauthenticated', 'Invalid token')
  }
}

import { AppError, forbidden } from '../errors.ts'
import { bearerToken } from '../http/bearer.ts'
import { clientAddress, clientOf } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
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
  const isAllowed = (exchange: Exchange): boolean => {
    const client = clientOf(exchange, trustedProxies)
    const isForwarded = exchange.request.headers.has('x-forwarded-for')
    // A proxy that was not declared: its own address, perhaps this machine's, would stand for everybody behind it.
    const isHidden = isForwarded && client === clientAddress(exchange.socketAddress(), null, trustedProxies)
    return !isHidden && allowed.contains(client)
  }

  return (exchange: Exchange): void => {
    if (isAllowed(exchange)) return
    if (token === null) throw forbidden()
    const given = bearerToken(exchange.request)
    if (given === undefined || !secureCompare(given, token)) throw new AppError('unauthenticated', 'Invalid token')
  }
}

import type { Networks } from '../config/networks.ts'
import { AppError, forbidden } from '../errors.ts'
import { clientAddress, clientOf } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { bearerToken } from '../http/headers.ts'
import { secureCompare } from '../secure-compare.ts'

interface MetricsAccess {
  /** Sent by a scraper as `Authorization: Bearer …`; null if no token is configured. */
  readonly token: string | null
  /** Clients that need no token. */
  readonly allowed: Networks
}

/** `/metrics` is off if neither is configured. */
export const isMeasured = ({ token, allowed }: MetricsAccess): boolean => token !== null || !allowed.isEmpty

/**
 * Checks that a request has the token, or comes from an address that needs none.
 *
 * @throws AppError `unauthenticated` if a token is configured, otherwise `forbidden`
 */
export const createMetricsCheck = ({ token, allowed }: MetricsAccess, trustedProxies: Networks) => {
  const isAllowed = (exchange: Exchange): boolean => {
    const client = clientOf(exchange, trustedProxies)
    const isForwarded = exchange.request.headers.has('x-forwarded-for')
    // The proxy is not trusted, so its address, perhaps this machine's, would count for everybody behind it.
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

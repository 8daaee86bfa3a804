import { AppError } from '../errors.ts'

/**
 * Only forms on our own pages may change anything: not other sites, and not other services on the same domain.
 *
 * Over https and to localhost, browsers say in `Sec-Fetch-Site` where a request comes from. `none` is refused too: an
 * address that was typed or bookmarked is never a POST. Over plain http in a local network there is only `Origin`.
 *
 * @throws AppError `forbidden`
 */
export const requireSameOrigin = (request: Request, publicUrl: string | null): void => {
  const site = request.headers.get('sec-fetch-site')
  const isOwn = site === null ? hasOwnOrigin(request, publicUrl) : site === 'same-origin'
  if (!isOwn) throw new AppError('forbidden', 'The request was not sent from a page of this server')
}

/** Behind a proxy, `Host` may be the proxy's name for this server. The browser knows the public address. */
const hasOwnOrigin = (request: Request, publicUrl: string | null): boolean => {
  const origin = request.headers.get('origin')
  if (origin === null) return false
  if (origin === publicUrl) return true
  const url = URL.parse(origin)
  const host = request.headers.get('host')?.toLowerCase()
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== host) return false
  // The public host with the other scheme is not ours: anybody on the network path can forge pages over plain http.
  return publicUrl === null || url.host !== new URL(publicUrl).host
}

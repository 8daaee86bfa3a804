import { AppError } from '../errors.ts'

/**
 * Lets only forms of our own pages change anything: no other site, and no other service on the same domain.
 *
 * Browsers say in `Sec-Fetch-Site` where a request comes from, over https and to localhost. `none` is refused too:
 * what a person types or bookmarks is never a POST. Over plain http in a local network only `Origin` is there.
 *
 * @throws AppError `forbidden`
 */
export const requireSameOrigin = (request: Request, publicUrl: string | null): void => {
  const site = request.headers.get('sec-fetch-site')
  const isOwn = site === null ? hasOwnOrigin(request, publicUrl) : site === 'same-origin'
  if (!isOwn) throw new AppError('forbidden', 'This was not sent from a page of this server')
}

/** Behind a proxy, `Host` may be the proxy's name for us, and the public address is what the browser knows. */
const hasOwnOrigin = (request: Request, publicUrl: string | null): boolean => {
  const origin = request.headers.get('origin')
  if (origin === null) return false
  if (origin === publicUrl) return true
  const url = URL.parse(origin)
  const host = request.headers.get('host')?.toLowerCase()
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== host) return false
  // The public host under the other scheme is not ours: anybody on the way can write pages of plain http.
  return publicUrl === null || url.host !== new URL(publicUrl).host
}

import { AppError } from '../errors.ts'
import { isOwnOrigin } from '../http/host.ts'

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
  const isOwn =
    site === null ? isOwnOrigin(request.headers.get('origin') ?? '', request, publicUrl) : site === 'same-origin'
  if (!isOwn) throw new AppError('forbidden', 'The request was not sent from a page of this server')
}

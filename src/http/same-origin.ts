import { AppError } from '../base/errors.ts'
import { serverUrl } from '../config/addresses.ts'
import { isLoopback } from '../config/networks.ts'
import { isOwnOrigin } from './host.ts'

/**
 * Refuses what other sites send, and other services on the same domain: only forms on our own pages may change anything.
 *
 * Over https and to localhost, browsers say in `Sec-Fetch-Site` where a request comes from. `none` is refused too: an
 * address that was typed or bookmarked is never a POST. Over plain http in a local network there is only `Origin`.
 *
 * @throws AppError `forbidden`
 */
export const requireSameOrigin = (request: Request, publicUrl: string | null): void => {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin') ?? ''
  const isOwn = site === null ? isOwnOrigin(origin, request, publicUrl) : site === 'same-origin'
  if (isOwn) return
  const why = whyForeign({ origin, site, host: request.headers.get('host'), publicUrl })
  throw new AppError('forbidden', `The request was not sent from a page of this server. ${why}`)
}

interface Foreign {
  readonly origin: string
  readonly site: string | null
  readonly host: string | null
  readonly publicUrl: string | null
}

/** For an operator, whose proxy or address is the usual cause. */
const whyForeign = ({ origin, site, host, publicUrl }: Foreign): string => {
  if (origin === 'null')
    return 'A proxy or the browser hides where it comes from (Origin: null), for example by Referrer-Policy: no-referrer'
  const { protocol = '', host: from = '' } = URL.parse(origin) ?? {}
  if (!/^https?:$/.test(protocol) || from.length > 259) return 'The browser does not say which page sent it'
  const said = `The browser says that it comes from ${protocol}//${from}`
  if (site !== null)
    return `${said}, which is ${site === 'none' ? 'no page' : 'another site'} (Sec-Fetch-Site: ${site})`
  return publicUrl === null
    ? `${said}, and the request is for ${host}. If you see the first in the address bar, set FORMBOX_URL to it`
    : `${said}, and this server is ${serverUrl(publicUrl)} (FORMBOX_URL)`
}

/**
 * Refuses to sign anyone in over plain http if cookies are for https only: browsers drop them, and would show the page to
 * sign in again and again. On this machine, most keep them.
 *
 * @throws AppError `invalid`
 */
export const requireCookies = (request: Request, publicUrl: string | null): void => {
  const { protocol, hostname = '' } = URL.parse(request.headers.get('origin') ?? '') ?? {}
  if (protocol !== 'http:' || isLoopback(hostname) || !publicUrl?.startsWith('https:')) return
  throw new AppError(
    'invalid',
    `Sign in at ${serverUrl(publicUrl)}: browsers keep the cookies of this server over https only`,
  )
}

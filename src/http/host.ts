import { invalid } from '../base/errors.ts'
import { maxHeaderCharacters, parseOnce } from '../base/parse-once.ts'
import { healthPath, readyPath } from '../config/addresses.ts'

const hostPattern = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i

/** Whether a URL can have it: pages make one of it, which failed for `1.2.3.4.5`, `[1:1]` and `xn--a`. */
const isHost = parseOnce(
  (host: string): boolean => hostPattern.test(host) && URL.canParse(`http://${host}`),
  maxHeaderCharacters,
)

/**
 * Rejects a request without a valid Host. For such a request Bun's URL is only the path, and Elysia would look for the
 * path inside it. `/healthz` and `/readyz` work without a Host, because load balancers request them with HTTP/1.0.
 *
 * @throws AppError `invalid` (RFC 9112 section 3.2)
 */
export const checkHost = (request: Request): void => {
  const host = request.headers.get('host')
  if (host === null && (request.url === healthPath.route || request.url === readyPath.route)) return
  if (host === null || !isHost(host) || request.url.startsWith('/'))
    throw invalid({ field: 'Host', message: 'must name one host' })
}

/**
 * Gives a request the URL that it would have at the root of the host, so that nothing else need know of the path below
 * which a proxy has passed it on. A copy would have no connection, whose address and timeout are asked for later.
 *
 * @param basePath with which the path of its URL begins
 */
export const withoutBase = (request: Request, basePath: string): Request => {
  const { url } = request
  const start = url.startsWith('/') ? 0 : url.indexOf('/', 'https://'.length)
  const rest = url.slice(start + basePath.length)
  const value = url.slice(0, start) + (rest.startsWith('/') ? rest : `/${rest}`)
  return Object.defineProperty(request, 'url', { value })
}

/** A name has at most 253 characters (RFC 1035 section 2.3.4), a port six. The OpenAPI document repeats it in each sample. */
const shownPattern = /^[\w.:[\]-]{1,259}$/

/**
 * The address of the service, such as `https://forms.example.com`: the public URL if it is configured, otherwise the
 * host in the request. A client can send any host, so this is only for what the client itself is shown.
 */
export const ownAddress = (request: Request, publicUrl: string | null): string => {
  if (publicUrl !== null) return publicUrl
  const host = request.headers.get('host') ?? ''
  return `http://${shownPattern.test(host) ? host : 'localhost'}`
}

/**
 * Whether an origin is this server's. Behind a proxy, `Host` may be the proxy's name for this server. The browser knows
 * the public address.
 */
export const isOwnOrigin = (origin: string, request: Request, publicUrl: string | null): boolean => {
  if (origin === publicUrl) return true
  const url = URL.parse(origin)
  const host = request.headers.get('host')?.toLowerCase()
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== host) return false
  // The public host with the other scheme is not ours: anyone on the network path can forge pages over plain http.
  return publicUrl === null || url.host !== new URL(publicUrl).host
}

import { invalid } from '../errors.ts'

const pattern = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::(\d{0,5}))?$/i

/**
 * Rejects a request without a valid Host. For such a request Bun's URL is only the path, and Elysia would look for the
 * path inside it. `/healthz` and `/readyz` work without a Host, because load balancers request them with HTTP/1.0.
 *
 * @throws AppError `invalid` (RFC 9112 section 3.2)
 */
export const checkHost = (request: Request): void => {
  const host = request.headers.get('host')
  if (host === null && (request.url === '/healthz' || request.url === '/readyz')) return
  const [whole, port = '0'] = pattern.exec(host ?? '') ?? []
  if (whole === undefined || Number(port) > 65_535 || request.url.startsWith('/'))
    throw invalid({ field: 'Host', message: 'must name one host' })
}

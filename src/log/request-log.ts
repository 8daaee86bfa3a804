import type { Networks } from '../config/networks.ts'
import { clientOf } from '../http/client-address.ts'
import type { OnAnswer } from '../http/exchange.ts'

/** What is logged of a request: the route's pattern instead of the path, and no query, header or body. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** `none` if no route matches the path. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** Size of the answer's body. */
  readonly bytes: number
  readonly client: string
  readonly keyId: string | null
}

export type RequestLog = (line: RequestLine) => void

/** Logs all requests except health checks. A request with a long answer is logged when all of it was sent. */
export const answerLogger =
  (log: RequestLog, trustedProxies: Networks): OnAnswer =>
  (exchange, route, status, answer) => {
    if (route === '/healthz' || route === '/readyz') return
    const { request, requestId, startedAt, caller, whenSent } = exchange
    const line = {
      requestId,
      method: request.method,
      route,
      status,
      milliseconds: performance.now() - startedAt,
      bytes: request.method === 'HEAD' ? 0 : byteLength(answer),
      client: clientOf(exchange, trustedProxies),
      keyId: caller?.keyId ?? null,
    }
    if (!whenSent) log(line)
    else void whenSent.then((bytes) => log({ ...line, bytes, milliseconds: performance.now() - startedAt }))
  }

const byteLength = (answer: unknown): number => {
  // The Content-Length of a 304 is that of the unchanged content.
  if (answer instanceof Response) return answer.status === 304 ? 0 : Number(answer.headers.get('content-length'))
  if (typeof answer === 'string') return Buffer.byteLength(answer)
  return answer === undefined || answer === null ? 0 : Buffer.byteLength(JSON.stringify(answer))
}

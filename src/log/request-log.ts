import type { Context } from 'elysia'
import { clientOf } from '../http/client-address.ts'
import { type OnAnswer, routes } from '../http/exchange.ts'
import { whenSent } from '../http/streamed.ts'
import type { Networks } from '../networks.ts'

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
    const { request, requestId, startedAt, caller } = exchange
    const line = {
      requestId,
      method: request.method,
      route: toPattern(route),
      status,
      milliseconds: performance.now() - startedAt,
      bytes: request.method === 'HEAD' ? 0 : byteLength(answer),
      client: clientOf(exchange, trustedProxies),
      keyId: caller?.keyId ?? null,
    }
    const sent = whenSent(answer)
    if (!sent) log(line)
    else void sent.then((bytes) => log({ ...line, bytes, milliseconds: performance.now() - startedAt }))
  }

/**
 * Elysia plugin: reports every answer, except those to errors, which `errorResponse` reports. It does so before the
 * answer is sent: `onAfterResponse` would take another turn of the event loop for each request, 2 µs.
 */
export const answerReports = (onAnswer: OnAnswer) =>
  routes('answer-reports').mapResponse({ as: 'global' }, ({ exchange, route, set, responseValue }) => {
    // Elysia calls this for the answer to an error too, unless no route fits the path.
    if (!exchange.isReported) onAnswer(exchange, route, statusOf(set, responseValue), responseValue)
  })

/** The status of a Response, or of a value that Elysia turns into one. */
const statusOf = ({ status }: Context['set'], answer: unknown): number =>
  answer instanceof Response ? answer.status : typeof status === 'number' ? status : 200

/** The route without a slash at the end. */
export const toPattern = (route: string | undefined): string =>
  route ? (route.length > 1 && route.endsWith('/') ? route.slice(0, -1) : route) : 'none'

const byteLength = (answer: unknown): number => {
  // The Content-Length of a 304 is that of the unchanged content.
  if (answer instanceof Response) return answer.status === 304 ? 0 : Number(answer.headers.get('content-length'))
  if (typeof answer === 'string') return Buffer.byteLength(answer)
  return answer === undefined || answer === null ? 0 : Buffer.byteLength(JSON.stringify(answer))
}

import { type Context, Elysia } from 'elysia'
import { clientAddress, type Networks } from './client-address.ts'

/** What the log tells of a request: the route's pattern instead of the path, no query, no header, no body. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** `none` where no route fits the path. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** Of the answer's body. */
  readonly bytes: number
  readonly client: string
  readonly keyId: string | null
}

export type RequestLog = (line: RequestLine) => void

/** What the stages of a request tell the log: kept beside its status and headers, where a WeakMap would cost. */
export interface Logged {
  startedAt?: number
  socketAddress?: string
  keyId?: string
  refusal?: Response
}

/**
 * Elysia plugin: tells `log` of every request when it is answered, except of those that ask whether we live. The
 * contexts are taken apart in the parameters, for Elysia would parse cookies, query and headers for one handed on whole.
 */
export const requestLog = (log: RequestLog, trustedProxies: Networks) =>
  new Elysia({ name: 'request-log' })
    .onRequest(({ request, server, set }) => {
      const logged = set as Logged
      logged.startedAt = performance.now()
      // When the answer is out the connection may be gone, and its address with it.
      logged.socketAddress = server?.requestIP(request)?.address ?? ''
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue }) => {
      if (route === '/healthz' || route === '/readyz') return
      const { startedAt = 0, socketAddress = '', keyId, refusal } = set as Logged
      const answer = refusal ?? responseValue
      const forwardedFor = trustedProxies.isEmpty ? null : request.headers.get('x-forwarded-for')
      log({
        requestId: String(set.headers['x-request-id']),
        method: request.method,
        route: toPattern(route),
        status: statusOf(set, responseValue),
        milliseconds: performance.now() - startedAt,
        bytes: request.method === 'HEAD' ? 0 : byteLength(answer),
        client: clientAddress(socketAddress, forwardedFor, trustedProxies),
        keyId: keyId ?? null,
      })
    })

/** What was answered: an error's own answer, a handler's, or what the handler told Elysia to make of its value. */
export const statusOf = (set: Context['set'] & Logged, responseValue: unknown): number => {
  const answer = set.refusal ?? responseValue
  return answer instanceof Response ? answer.status : typeof set.status === 'number' ? set.status : 200
}

/** The route as operators know it. */
export const toPattern = (route: string | undefined): string =>
  route ? (route.length > 1 && route.endsWith('/') ? route.slice(0, -1) : route) : 'none'

const byteLength = (answer: unknown): number => {
  if (answer instanceof Response) return Number(answer.headers.get('content-length'))
  if (typeof answer === 'string') return Buffer.byteLength(answer)
  return answer === undefined || answer === null ? 0 : Buffer.byteLength(JSON.stringify(answer))
}

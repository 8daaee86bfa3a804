import { Elysia } from 'elysia'
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

/** What the guard and the error handler tell the log. */
export interface Logged {
  keyId?: string | null
  refusal?: Response | null
}

/** Elysia plugin: tells `log` of every request when it is answered, except of those that ask whether we live. */
export const requestLog = (log: RequestLog, trustedProxies: Networks) =>
  new Elysia({ name: 'request-log' })
    // Properties of each request's context cost nothing; a WeakMap would.
    .decorate({ startedAt: 0, socketAddress: '', keyId: null as string | null, refusal: null as Response | null })
    .onRequest((context) => {
      context.startedAt = performance.now()
      // When the answer is out the connection may be gone, and its address with it.
      context.socketAddress = context.server?.requestIP(context.request)?.address ?? ''
    })
    .onAfterResponse({ as: 'global' }, (context) => {
      const { request, route, set, socketAddress } = context
      if (route === '/healthz') return
      const answer = context.refusal ?? context.responseValue
      const forwardedFor = trustedProxies.isEmpty ? null : request.headers.get('x-forwarded-for')
      log({
        requestId: String(set.headers['x-request-id']),
        method: request.method,
        route: toPattern(route),
        status: answer instanceof Response ? answer.status : typeof set.status === 'number' ? set.status : 200,
        milliseconds: performance.now() - context.startedAt,
        bytes: request.method === 'HEAD' ? 0 : byteLength(answer),
        client: clientAddress(socketAddress, forwardedFor, trustedProxies),
        keyId: context.keyId,
      })
    })

const toPattern = (route: string | undefined): string =>
  route ? (route.length > 1 && route.endsWith('/') ? route.slice(0, -1) : route) : 'none'

const byteLength = (answer: unknown): number => {
  if (answer instanceof Response) return Number(answer.headers.get('content-length'))
  if (typeof answer === 'string') return Buffer.byteLength(answer)
  return answer === undefined || answer === null ? 0 : Buffer.byteLength(JSON.stringify(answer))
}

import { type Context, Elysia } from 'elysia'
import type { Logged, TellAnswer } from '../http/answered.ts'
import { clientAddress } from '../http/client-address.ts'
import { whenSent } from '../http/streamed.ts'
import type { Networks } from '../networks.ts'

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

/** Everything is told but requests that ask whether we live. A long answer is told when all of it was sent. */
export const answerTeller =
  (log: RequestLog, trustedProxies: Networks): TellAnswer =>
  ({ request, route, set }, answer) => {
    if (route === '/healthz' || route === '/readyz') return
    const { startedAt = 0, socketAddress = '', keyId = null } = set
    const forwardedFor = trustedProxies.isEmpty ? null : request.headers.get('x-forwarded-for')
    const line = {
      requestId: String(set.headers['x-request-id']),
      method: request.method,
      route: toPattern(route),
      status: statusOf(set, answer),
      milliseconds: performance.now() - startedAt,
      bytes: request.method === 'HEAD' ? 0 : byteLength(answer),
      client: clientAddress(socketAddress, forwardedFor, trustedProxies),
      keyId,
    }
    const sent = whenSent(answer)
    if (!sent) log(line)
    else void sent.then((bytes) => log({ ...line, bytes, milliseconds: performance.now() - startedAt }))
  }

/**
 * Elysia plugin: tells of every answer but those to errors, which `errorResponse` tells of. It does so before the answer
 * is sent: `onAfterResponse` would take another turn of the event loop for each request, 2 µs. The contexts are taken
 * apart in the parameters, for Elysia would parse cookies, query and headers for one handed on whole.
 */
export const requestLog = (tell: TellAnswer) =>
  new Elysia({ name: 'request-log' })
    .onRequest(({ request, server, set }) => {
      const logged = set as Logged
      logged.startedAt = performance.now()
      // When a slow handler is done the connection may be gone, and its address with it.
      logged.socketAddress = server?.requestIP(request)?.address ?? ''
    })
    .mapResponse({ as: 'global' }, ({ request, route, set, responseValue }) => {
      if (!(set as Logged).isTold) tell({ request, route, set }, responseValue)
    })

/** Of a Response, or of a value that Elysia makes one of. */
export const statusOf = ({ status }: Context['set'], answer: unknown): number =>
  answer instanceof Response ? answer.status : typeof status === 'number' ? status : 200

/** The route as operators know it. */
export const toPattern = (route: string | undefined): string =>
  route ? (route.length > 1 && route.endsWith('/') ? route.slice(0, -1) : route) : 'none'

const byteLength = (answer: unknown): number => {
  // What a 304 tells is the length of what it stands for.
  if (answer instanceof Response) return answer.status === 304 ? 0 : Number(answer.headers.get('content-length'))
  if (typeof answer === 'string') return Buffer.byteLength(answer)
  return answer === undefined || answer === null ? 0 : Buffer.byteLength(JSON.stringify(answer))
}

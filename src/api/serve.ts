import { notFound } from '../errors.ts'
import type { Reporter } from '../http/error-response.ts'
import { type Exchange, jsonText, routes } from '../http/exchange.ts'
import { streamed } from '../http/streamed.ts'
import {
  concurrencyGuard,
  hashOf,
  idempotencyKey,
  replayedHeader,
  toIdempotentRequest,
} from '../idempotency/idempotency.ts'
import type { Caller } from '../keys/store.ts'
import type { Admission } from './admission.ts'
import type { Operation, ReadOperation, Repeatable, WriteOperation } from './operation.ts'

interface Options {
  readonly operations: readonly Operation[]
  readonly admission: Admission
  /** Told of errors in the middle of a long answer. */
  readonly report: Reporter
  readonly now: () => number
}

/** Elysia plugin: serves the operations, and refuses everything else under `/api/v1`. */
export const serveApi = ({ operations, admission, report, now }: Options) => {
  const oneAtATime = concurrencyGuard()
  const app = routes('api')
  for (const operation of operations) {
    const path = `/api/v1${operation.path}`
    if (operation.method === 'GET') app.get(path, reading(operation, admission, report))
    else app.route(operation.method, path, writing(operation, { admission, oneAtATime, now }), { parse: 'none' })
  }
  // Only a caller with a key learns that a path or method is unknown.
  for (const path of ['/api/v1', '/api/v1/*'])
    app.all(path, ({ exchange }) => {
      admission.admit(exchange)
      throw notFound()
    })
  return app
}

// The steps of a request to an operation, in order. Each line may refuse it with the status beside it.

/** What Elysia found in a request. */
interface Routed {
  readonly exchange: Exchange
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/**
 * Elysia searches the source text of the inner function for code such as `return f(`. If it finds any, it treats the
 * function as asynchronous and waits for it, which takes 0.8 of the 18 µs of processor time of a read.
 */
const reading = (operation: ReadOperation, admission: Admission, report: Reporter) => {
  const sending = (caller: Caller) => ({ report, mayRead: () => admission.isLive(caller) })
  return ({ exchange, params, query: given }: Routed): string | Response => {
    const caller = admission.admit(exchange) // 401, 429
    const query = operation.query?.parse(given, exchange.request.url) // 400
    refuseBulk(params) // 404
    const answer = operation.handle({ caller, params, query })
    return typeof answer === 'string' ? jsonText(exchange, answer) : streamed(exchange, answer, sending(caller))
  }
}

interface Writing {
  readonly admission: Admission
  readonly oneAtATime: ReturnType<typeof concurrencyGuard>
  readonly now: () => number
}

const writing =
  (operation: WriteOperation, { admission, oneAtATime, now }: Writing) =>
  async ({ exchange, params, query: given }: Routed): Promise<object> => {
    const admitted = admission.admit(exchange) // 401, 429, 403
    const key = operation.isIdempotent && idempotencyKey(exchange.request) // 400
    let bodyHash = ''
    const onBody = (bytes: Uint8Array): void => {
      bodyHash = hashOf(bytes)
    }
    const received = await operation.body?.receive(exchange, key ? onBody : undefined) // 400, 503
    try {
      const caller = received ? admission.readmit(exchange) : admitted // 401
      const query = operation.query?.parse(given, exchange.request.url) // 400
      const body = received && operation.body?.parse(received.value) // 400
      refuseBulk(params) // 404
      if (operation.hasSecret) exchange.headers['cache-control'] = 'no-store'
      const { method, path } = operation
      const content = JSON.stringify([method, path, params, bodyHash])
      // Of a user, not of a key of the API: that one may be replaced before a repeat.
      const request = key ? toIdempotentRequest({ scope: `user ${caller.userId}`, key, content, at: now() }) : undefined
      const call = { caller, params, query, body, request }
      const { isRepeat, ...answer }: Repeatable = await oneAtATime(request, () => operation.handle(call)) // 400, 503
      if (isRepeat) exchange.headers[replayedHeader] = 'true'
      return answer
    } finally {
      received?.release()
    }
  }

/** `bulk` is never an identifier, whatever the method: it belongs to the paths of the bulk operations. */
const refuseBulk = (params: Routed['params']): void => {
  for (const name in params) if (params[name] === 'bulk') throw notFound()
}

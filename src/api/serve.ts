import { type Caller, type KeyStore, refuseOtherForms } from '../accounts/keys/store.ts'
import { AppError, forbidden, notFound, tooManyRequests } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { FormAccess } from '../forms/access.ts'
import type { Reporter } from '../http/error-response.ts'
import { type Exchange, jsonText, routes } from '../http/exchange.ts'
import { fileAnswer } from '../http/file-answer.ts'
import { bearerToken } from '../http/headers.ts'
import { ownAddress } from '../http/host.ts'
import { idempotencyKey, replayedHeader } from '../http/idempotency-key.ts'
import { createRateLimiter, type RateLimiter, secondsUntil } from '../http/rate-limit.ts'
import { type StreamedFile, streamed } from '../http/streamed.ts'
import { concurrencyGuard, hashOf, toIdempotentRequest } from '../storage/idempotency.ts'
import type { Operation, ReadOperation, Repeatable, SlowReadOperation, WriteOperation } from './operation.ts'

interface Options {
  readonly operations: readonly Operation[]
  readonly keys: Pick<KeyStore, 'findCaller' | 'isLive'>
  /** Whether a user may no longer read a form. */
  readonly isShutOut: FormAccess['isShutOut']
  readonly config: Pick<Config, 'publicUrl' | 'rateLimit'>
  /** Called for errors in the middle of a long response. */
  readonly report: Reporter
  readonly now: () => number
}

/** Elysia plugin: serves the operations, and refuses everything else under `/api/v1`. */
export const serveApi = ({ operations, keys, isShutOut, config, report, now }: Options) => {
  const admission = createAdmission({ keys, isShutOut, limiter: createRateLimiter(config.rateLimit, now), now })
  const oneAtATime = concurrencyGuard()
  const app = routes('api')
  for (const operation of operations) {
    const path = `/api/v1${operation.path}`
    if (operation.method !== 'GET')
      app.route(operation.method, path, writing(operation, { admission, oneAtATime, config, report, now }), {
        parse: 'none',
      })
    else if ('isSlow' in operation) app.get(path, readingSlowly(operation, admission, report))
    else app.get(path, reading(operation, admission, report))
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

/** The parts of a request that Elysia found. */
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
  const sending = (caller: Caller, params: Routed['params']) => ({
    report,
    mayRead: () => admission.mayRead(caller, formIn(params)),
  })
  return ({ exchange, params, query: given }: Routed): string | Response => {
    const caller = admission.admit(exchange) // 401, 429
    const query = operation.query?.parse(given, exchange.request.url) // 400
    refuseBulk(params) // 404
    refuseForms(operation, caller, params) // 403
    const answer = operation.handle({ caller, params, query })
    return typeof answer === 'string'
      ? jsonText(exchange, answer)
      : 'file' in answer
        ? fileAnswer(exchange, answer, sending(caller, params)) // 416
        : streamed(exchange, answer, sending(caller, params))
  }
}

const readingSlowly =
  (operation: SlowReadOperation, admission: Admission, report: Reporter) =>
  async ({ exchange, params, query: given }: Routed): Promise<string | Response> => {
    const caller = admission.admit(exchange) // 401, 429
    const query = operation.query?.parse(given, exchange.request.url) // 400
    refuseBulk(params) // 404
    refuseForms(operation, caller, params) // 403
    const checkAccess = (): void => void admission.readmit(exchange) // 401
    const { signal } = exchange.request
    const answer = await exchange.keepOpen(() => operation.handle({ caller, params, query, signal, checkAccess }))
    checkAccess()
    if (typeof answer === 'string') return jsonText(exchange, answer)
    return streamed(exchange, answer, { report, mayRead: () => admission.mayRead(caller, formIn(params)) })
  }

interface Writing {
  readonly admission: Admission
  readonly oneAtATime: ReturnType<typeof concurrencyGuard>
  readonly config: Options['config']
  readonly report: Reporter
  readonly now: () => number
}

const writing =
  (operation: WriteOperation, { admission, oneAtATime, config, report, now }: Writing) =>
  async ({ exchange, params, query: given }: Routed): Promise<object> => {
    const admitted = admission.admit(exchange, operation.isRead) // 401, 429, 403
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
      refuseForms(operation, caller, params) // 403
      if (operation.hasSecret) exchange.headers['cache-control'] = 'no-store'
      const { method, path } = operation
      const content = JSON.stringify([method, path, params, bodyHash])
      // The scope is the user, not the API key, which may be replaced before a repeat.
      const request = key ? toIdempotentRequest({ scope: `user ${caller.userId}`, key, content, at: now() }) : undefined
      const { signal } = exchange.request
      const serverAddress = ownAddress(exchange.request, config.publicUrl)
      const checkAccess = (): void => void admission.readmit(exchange) // 401
      const call = { caller, params, query, body, request, serverAddress, signal, checkAccess }
      const handle = () => operation.handle(call)
      const result = await oneAtATime(request, operation.isSlow ? () => exchange.keepOpen(handle) : handle) // 400, 503
      if (result && 'disposition' in result)
        return streamed(exchange, result as StreamedFile, {
          report,
          mayRead: () => admission.mayRead(caller, formIn(params)),
        })
      const { isRepeat, ...answer }: Repeatable = result ?? { success: true }
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

/** Elysia has no parameters, not even an empty object, for a path without any. */
const formIn = (params: Routed['params'] | undefined): string | undefined => params?.formId

/** Keeps a key that is limited to some forms to these. */
const refuseForms = ({ forms }: Operation, caller: Caller, params: Routed['params']): void => {
  if (caller.forms === null || forms === 'several') return
  const formId = formIn(params)
  if (formId === undefined || forms === 'new') throw forbidden()
  refuseOtherForms(caller, [formId])
}

type Admission = ReturnType<typeof createAdmission>

interface AdmissionOptions extends Pick<Options, 'keys' | 'isShutOut' | 'now'> {
  readonly limiter: RateLimiter
}

const createAdmission = ({ keys, isShutOut, limiter, now }: AdmissionOptions) => {
  const authenticate = ({ request }: Exchange): Caller => {
    const key = bearerToken(request)
    const caller = key !== undefined && isKey(key) ? keys.findCaller(key) : null
    if (!caller) throw new AppError('unauthenticated', 'Invalid or expired API key')
    return caller
  }

  const countRequest = ({ headers }: Exchange, keyId: string): void => {
    const { allowed, limit, remaining, resetsAt } = limiter.take(keyId)
    if (limit > 0) {
      headers['x-ratelimit-limit'] = String(limit)
      headers['x-ratelimit-remaining'] = String(remaining)
      headers['x-ratelimit-reset'] = String(Math.ceil(resetsAt / 1000))
    }
    if (!allowed) throw tooManyRequests(secondsUntil(resetsAt, now()))
  }

  return {
    /**
     * Lets a request in, and counts it against the limit of its key.
     *
     * @param isRead whether it only reads, whatever its method
     * @throws AppError `unauthenticated`, `rate_limited`, or `forbidden` if a read-only key is used to write
     */
    admit(exchange: Exchange, isRead = false): Caller {
      const caller = authenticate(exchange)
      exchange.caller = caller
      countRequest(exchange, caller.keyId)
      const { method } = exchange.request
      if (caller.isReadOnly && !isRead && method !== 'GET' && method !== 'HEAD') throw forbidden()
      return caller
    },

    /**
     * Checks the key again, which takes 0.3 µs. A body may take minutes to arrive, and a key that was revoked in the
     * meantime must not change anything.
     *
     * @throws AppError `unauthenticated`
     */
    readmit: authenticate,

    /**
     * Whether the key of a request that was let in still works, and its user may still read the form. Checked while a long
     * response is sent.
     */
    mayRead: (caller: Caller, formId: string | undefined): boolean =>
      keys.isLive(caller) && (formId === undefined || !isShutOut(caller.userId, formId)),
  }
}

/** False for a token that no key can be, so that it need not be looked up. */
const isKey = (token: string): boolean => /^api_[0-9a-z]{32,100}$/i.test(token)

import { type Caller, refuseOtherForms } from '../accounts/keys/store.ts'
import { forbidden, notFound } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Reporter } from '../http/error-response.ts'
import type { Exchange } from '../http/exchange.ts'
import { fileAnswer } from '../http/file-answer.ts'
import { ownAddress } from '../http/host.ts'
import { idempotencyKey, replayedHeader } from '../http/idempotency-key.ts'
import { type PieceTaker, readUpload } from '../http/read-body.ts'
import { type StreamedFile, streamed } from '../http/streamed.ts'
import { concurrencyGuard, hashOf, toIdempotentRequest } from '../storage/idempotency.ts'
import type { Admission } from './admission.ts'
import type {
  Operation,
  ReadAnswer,
  ReadOperation,
  ReceivedBody,
  Repeatable,
  SlowReadOperation,
  WriteOperation,
} from './operation.ts'

type Params = Readonly<Record<string, string>>

/** A request to an operation, from whoever found the operation. */
export interface ApiRequest {
  /** The request with its key and its body, and the headers of the response. */
  readonly exchange: Exchange
  /** The values in the operation's path. Elysia has none, not even an empty object, for a path without any. */
  readonly params: Params | undefined
  readonly query: Readonly<Record<string, string>>
}

/** JSON as text, an object that becomes JSON, or a file or long JSON that is sent in parts. All other headers are in the exchange. */
type ApiAnswer = string | object | Response

interface Options {
  readonly admission: Admission
  readonly config: Pick<Config, 'publicUrl'>
  /** Called for errors in the middle of a long response. */
  readonly report: Reporter
  readonly now: () => number
}

/**
 * Returns the function that carries out each request to an operation. It knows no routes: its caller chooses the operation. It
 * throws, or rejects with, the error that refuses the request.
 */
export const createPipeline = ({ admission, config, report, now }: Options) => {
  const oneAtATime = concurrencyGuard()

  // The stages, in their order. The number beside a line is the status with which it may refuse the request.

  /** Returns the answer of a read that waits for nothing without a promise, which would cost each such request time. */
  const carryOut = (operation: Operation, request: ApiRequest): ApiAnswer | Promise<ApiAnswer> => {
    const caller = admission.admit(request.exchange, operation.isRead) // 401, 429, 403
    if (!isQuick(operation)) return carryOutSlowly(operation, request, caller)
    const call = check(operation, request, caller) // 400, 404, 403
    return respond(request, caller, operation.handle(call)) // 416
  }

  const carryOutSlowly = async (
    operation: SlowReadOperation | WriteOperation,
    request: ApiRequest,
    admitted: Caller,
  ): Promise<ApiAnswer> => {
    const { exchange } = request
    const key = operation.isIdempotent && idempotencyKey(exchange.request) // 400
    let bodyHash = ''
    const onBody = (bytes: Uint8Array): void => {
      bodyHash = hashOf(bytes)
    }
    const received = await operation.body?.receive(exchange, key ? onBody : undefined) // 400, 503
    try {
      const checkAccess = (): void => void admission.readmit(exchange)
      const caller = received ? admission.readmit(exchange) : admitted // 401
      const checked = check(operation, request, caller, received) // 400, 404, 403
      if (operation.hasSecret) exchange.headers['cache-control'] = 'no-store'
      // The scope is the user, not the API key, which may be replaced before a repeat.
      const scope = `user ${caller.userId}`
      const content = [operation.method, operation.path, request.params, bodyHash]
      const repeatable = key
        ? toIdempotentRequest({ scope, key, content: JSON.stringify(content), at: now() })
        : undefined
      const serverAddress = ownAddress(exchange.request, config.publicUrl)
      const receiveFile = (maxBytes: number) => (taker: PieceTaker) =>
        readUpload({ request: exchange.request, server: exchange.server, owner: () => caller.userId }, maxBytes, taker)
      const call = {
        ...checked,
        request: repeatable,
        serverAddress,
        signal: exchange.request.signal,
        checkAccess,
        mediaType: exchange.mediaType(),
        receiveFile,
      }
      const handle = (): Promise<unknown> => operation.handle(call)
      const result = await oneAtATime(repeatable, operation.isSlow ? () => exchange.keepOpen(handle) : handle) // 400, 503
      if (operation.method !== 'GET' && !isFile(result)) return toAnswer(exchange, result as object | undefined)
      if (operation.method === 'GET') checkAccess() // 401
      return respond(request, caller, result as ReadAnswer)
    } finally {
      received?.release()
    }
  }

  /** Sends a long response in parts, for as long as its caller may read it. */
  const respond = ({ exchange, params }: ApiRequest, caller: Caller, answer: ReadAnswer): string | Response => {
    if (typeof answer === 'string') return answer
    const options = { report, mayRead: () => admission.mayRead(caller, params?.formId) }
    return 'file' in answer ? fileAnswer(exchange, answer, options) : streamed(exchange, answer, options)
  }

  return carryOut
}

const isQuick = (operation: Operation): operation is ReadOperation => operation.method === 'GET' && !operation.isSlow

/**
 * Checks all but who calls. A body has arrived by then.
 *
 * @throws AppError `invalid`, `not_found` or `forbidden`
 */
const check = (operation: Operation, request: ApiRequest, caller: Caller, received?: ReceivedBody) => {
  const { exchange, params = noParams } = request
  const query = operation.query?.parse(request.query, exchange.request.url)
  const body = received && operation.body?.parse(received.value)
  refuseBulk(params)
  refuseForms(operation, caller, params)
  return { caller, params, query, body }
}

const noParams = {}

/** `bulk` is never an identifier, whatever the method: it belongs to the paths of the bulk operations. */
const refuseBulk = (params: Params): void => {
  for (const name in params) if (params[name] === 'bulk') throw notFound()
}

/** Keeps a key that is limited to some forms to these. */
const refuseForms = ({ forms }: Operation, caller: Caller, { formId }: Params): void => {
  if (caller.forms === null || forms === 'several') return
  if (formId === undefined || forms === 'new') throw forbidden()
  refuseOtherForms(caller, [formId])
}

const isFile = (result: unknown): result is StreamedFile =>
  typeof result === 'object' && result !== null && 'disposition' in result

const toAnswer = (exchange: Exchange, result: object = { success: true }): object => {
  const { isRepeat, ...answer }: Repeatable = result
  if (isRepeat) exchange.headers[replayedHeader] = 'true'
  return answer
}

import { type Context, Elysia } from 'elysia'
import type { Caller } from '../accounts/keys/store.ts'
import type { Form } from '../forms/form.ts'
import type { Bar } from '../html/frame.ts'
import type { Language } from '../languages/languages.ts'
import { acceptsHtml, mediaType } from './headers.ts'
import { idleTimeoutSeconds } from './read-body.ts'

/**
 * A request, with what its stages know of it. Created before the route is looked up. A stage that ends with an error
 * returns nothing: so the caller, the user and the visitor's form and language stand here, for the error page and the log.
 */
export class Exchange {
  /** `performance.now()` */
  readonly startedAt = performance.now()
  readonly requestId = newRequestId()
  /** The owner of the request's key, once it has been checked. */
  caller: Caller | undefined
  /** The user who is signed in, once a page has found the session. */
  user: { readonly email: string; readonly bar: Bar } | undefined
  /** Key of the limits by address (`addressKey`), once it was needed. */
  addressKey: string | undefined
  /** The language that the visitor's page or link asks for. */
  askedLanguage: Language | undefined
  /** The form that a visitor sends to, or looks at, once it was found. */
  visited: Pick<Form, 'returnUrl' | 'settings'> | undefined
  /** Whether the response was reported to the log and the metrics. */
  isReported = false
  /** Resolves to the bytes of a response that is made while it is sent, when it was sent or broken off. */
  whenSent: Promise<number> | undefined
  private knownAddress: string | undefined
  private knownMediaType: string | undefined

  constructor(
    readonly request: Request,
    readonly server: Context['server'],
    /** The response's headers, including those of an error. */
    readonly headers: Context['set']['headers'],
  ) {
    headers['x-request-id'] = this.requestId
    // Responses contain what visitors sent, and no browser must take such JSON for a page or a script. Elysia's default headers
    // would be copied for each request.
    headers['x-content-type-options'] = 'nosniff'
    if (isOneTooMany()) headers.connection = 'close'
  }

  /** The other end of the connection; empty if it is closed. Cached, because the system call takes 2 µs. */
  socketAddress(): string {
    this.knownAddress ??= this.server?.requestIP(this.request)?.address ?? ''
    return this.knownAddress
  }

  /** Does what may take longer than the idle timeout before the response begins. It has to end by itself. */
  async keepOpen<T>(work: () => Promise<T>): Promise<T> {
    const { server, request } = this
    server?.timeout(request, 0)
    try {
      return await work()
    } finally {
      // It also applies to later requests on the connection.
      server?.timeout(request, idleTimeoutSeconds)
    }
  }

  /** See `mediaType`. Cached, because a submission needs it three times. */
  mediaType(): string {
    this.knownMediaType ??= mediaType(this.request)
    return this.knownMediaType
  }
}

const run = crypto.getRandomValues(Buffer.alloc(6)).toString('hex')
let count = 0

/** Unique across runs. The last part counts the requests of this run. */
const newRequestId = (): string => `${run}-${(count++).toString(36)}`

/**
 * More requests arrive together only if a client sends them without waiting for responses. Bun handles all of them in one
 * turn of the event loop, unless a response closes the connection: 17,000 in 600 kB kept others waiting for 0.3 to 1.4 s.
 */
const maxOfTurn = 512
let ofTurn = 0
const beginTurn = (): void => {
  ofTurn = 0
}

const isOneTooMany = (): boolean => {
  // Not at the first one: it would be done for each request of a client that waits.
  if (++ofTurn === maxOfTurn / 8) setImmediate(beginTurn)
  return ofTurn > maxOfTurn
}

/** Called for each response before it is sent. The route is a pattern, such as `/s/:formId`; `none` if none matches the path. */
export type OnAnswer = (exchange: Exchange, route: string, status: number, answer: unknown) => void

/**
 * An Elysia plugin whose handlers may take `exchange`, which the `onRequest` hook in `app.ts` sets.
 *
 * Elysia reads the source text of handlers and hooks. If one passes on its whole context, Elysia parses cookies, query
 * and headers for each request. So each handler names what it uses in its parameter.
 */
export const routes = (name: string) => new Elysia({ name }).decorate('exchange', null as unknown as Exchange)

/**
 * Elysia plugin: reports every response, except those to errors, which `errorResponse` reports. It does so before the
 * response is sent: `onAfterResponse` would take another turn of the event loop for each request, 2 µs.
 */
export const reportAnswers = (onAnswer: OnAnswer) =>
  routes('report-answers').mapResponse({ as: 'global' }, ({ exchange, route, set, responseValue }) => {
    // Elysia calls this for the response to an error too. If no route fits the path, a text is replaced by what this returns.
    if (exchange.isReported) return responseValue as Response
    onAnswer(exchange, route, statusOf(set, responseValue), responseValue)
  })

/** The status of a Response, or of a value that Elysia turns into one. */
const statusOf = ({ status }: Context['set'], answer: unknown): number =>
  answer instanceof Response ? answer.status : typeof status === 'number' ? status : 200

/** Whether a person will look at the response: the client accepts `text/html` and did not send JSON. */
export const isBrowser = (exchange: Exchange): boolean =>
  exchange.mediaType() !== 'application/json' && acceptsHtml(exchange.request.headers.get('accept'))

/** Responds with JSON that is text already, with the content type that Elysia would not guess. */
export const jsonText = ({ headers }: Exchange, text: string): string => {
  headers['content-type'] = 'application/json'
  return text
}

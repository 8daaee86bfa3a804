import { type Context, Elysia } from 'elysia'
import type { Caller } from '../keys/store.ts'
import { newRequestId } from './request-id.ts'

/**
 * A request, with the data that its stages share with each other and the log. Created before the route is looked up.
 */
export class Exchange {
  /** `performance.now()` */
  readonly startedAt = performance.now()
  readonly requestId = newRequestId()
  /** The owner of the request's key, once it has been checked. */
  caller: Caller | undefined
  /** E-mail address of the user who is signed in, once a page has found the session. */
  email: string | undefined
  /** What limits by address count the request by, once it was needed. */
  addressKey: string | undefined
  /** Whether the answer was reported to the log and the metrics. */
  isReported = false
  /** Bytes of an answer that is made while it is sent. Resolves when it was sent, or broken off. */
  whenSent: Promise<number> | undefined
  private knownAddress: string | undefined

  constructor(
    readonly request: Request,
    readonly server: Context['server'],
    /** The answer's headers, including those of an error. */
    readonly headers: Context['set']['headers'],
  ) {
    headers['x-request-id'] = this.requestId
  }

  /** The other end of the connection; empty if it is closed. Cached, because the system call takes 2 µs. */
  socketAddress(): string {
    this.knownAddress ??= this.server?.requestIP(this.request)?.address ?? ''
    return this.knownAddress
  }
}

/** Called for each answer before it is sent. The route is a pattern, such as `/s/:formId`; `none` if none matches the path. */
export type OnAnswer = (exchange: Exchange, route: string, status: number, answer: unknown) => void

/**
 * An Elysia plugin whose handlers may take `exchange`, which the `onRequest` hook in `app.ts` sets.
 *
 * Elysia reads the source text of handlers and hooks. If one passes on its whole context, Elysia parses cookies, query
 * and headers for each request. So each handler names what it uses in its parameter.
 */
export const routes = (name: string) => new Elysia({ name }).decorate('exchange', null as unknown as Exchange)

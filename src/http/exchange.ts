import { type Context, Elysia } from 'elysia'
import type { Caller } from '../keys/store.ts'
import { newRequestId } from './request-id.ts'

/** A request, and what its stages tell each other and the log. It is made before the route is looked up. */
export class Exchange {
  /** `performance.now()` */
  readonly startedAt = performance.now()
  readonly requestId = newRequestId()
  /** Whose key the request has, once that was checked. */
  caller: Caller | undefined
  /** Whether the log and the metrics know of the answer. */
  isReported = false
  private knownAddress: string | undefined

  constructor(
    readonly request: Request,
    readonly server: Context['server'],
    /** Of the answer, also where it is an error. */
    readonly headers: Context['set']['headers'],
  ) {
    headers['x-request-id'] = this.requestId
  }

  /** The other end of the connection; empty when it is closed. Asked for once: the system takes 2 µs to answer. */
  socketAddress(): string {
    this.knownAddress ??= this.server?.requestIP(this.request)?.address ?? ''
    return this.knownAddress
  }
}

/** Told of each answer before it is sent. The route is undefined where none fits the path. */
export type OnAnswer = (exchange: Exchange, route: string | undefined, status: number, answer: unknown) => void

/**
 * An Elysia plugin whose handlers may take `exchange`, which the `onRequest` hook in `app.ts` sets.
 *
 * Elysia reads the source text of handlers and hooks. One that passes its whole context on makes it parse cookies, query
 * and headers for each request; so all of them name in their parameter what they use.
 */
export const routes = (name: string) => new Elysia({ name }).decorate('exchange', null as unknown as Exchange)

import type { Session } from '../accounts/sessions/store.ts'
import type { Exchange } from '../http/exchange.ts'

/** The request for a page. `Params` are the parts of its path that vary. */
export interface Visit<Params = unknown> {
  readonly exchange: Exchange
  readonly request: Request
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
}

/** The request of a user who is signed in. */
export interface UserVisit<Params = unknown> extends Visit<Params> {
  readonly session: Session
}

/** A form that a page sent. */
export interface Sent<Params = unknown> {
  readonly exchange: Exchange
  readonly request: Request
  readonly params: Params
  readonly form: URLSearchParams
}

/** A form that a page sent for a user who is signed in. */
export interface UserSent<Params = unknown> extends Sent<Params> {
  readonly session: Session
}

/** The parts of the path that vary, on the pages of a form. */
export interface FormParams {
  readonly formId: string
}

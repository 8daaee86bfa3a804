import { AppError } from '../errors.ts'
import { redirect } from '../html/redirect.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Session } from '../sessions/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { readForm } from './read-form.ts'
import { requireSameOrigin } from './same-origin.ts'

interface Options {
  readonly sessions: BrowserSessions
  readonly publicUrl: string | null
}

/** What a page knows of the request for it. `Params` are the parts of its path that vary. */
export interface Visit<Params = unknown> {
  readonly exchange: Exchange
  readonly request: Request
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
}

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

export interface UserSent<Params = unknown> extends Sent<Params> {
  readonly session: Session
}

/** Of Elysia's context. The handlers below take it apart in their parameter lists, as `http/exchange.ts` explains. */
interface Context<Params> {
  readonly exchange: Exchange
  readonly path: string
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
}

type Answer = Response | Promise<Response>

/** Every route of the site goes through one of these five, so that none misses a check. */
export const pageAccess = ({ sessions, publicUrl }: Options) => {
  const keepAlive = async (request: Request, session: Session, response: Response): Promise<Response> => {
    // A page that signs out, or in again, sets its own cookies.
    if (response.headers.has('set-cookie')) return response
    const cookies = await sessions.extend(request, session).catch(() => [])
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return response
  }

  return {
    /** A page for everybody. */
    visitorPage:
      <Params>(show: (visit: Visit<Params>) => Answer) =>
      async ({ exchange, params, query }: Context<Params>): Promise<Response> =>
        show({ exchange, request: exchange.request, params, query }),

    /** What a link that this server signed allows, wherever the request comes from. Mail programs send no `Origin`. */
    linkAction:
      <Params>(act: (visit: Visit<Params>) => Answer) =>
      async ({ exchange, params, query }: Context<Params>): Promise<Response> =>
        act({ exchange, request: exchange.request, params, query }),

    /** A page for a user who is signed in. Everybody else is led to sign-in first. */
    userPage:
      <Params>(show: (visit: UserVisit<Params>) => Answer) =>
      async ({ exchange, path, params, query }: Context<Params>): Promise<Response> => {
        const { request } = exchange
        const session = sessions.find(request)
        if (!session) return redirect(signInPath(path + queryOf(request)))
        exchange.email = session.email
        return keepAlive(request, session, await show({ exchange, request, params, query, session }))
      },

    /** What a form on a page for everybody does. */
    visitorAction:
      <Params>(act: (sent: Sent<Params>) => Answer) =>
      async ({ exchange, params }: Pick<Context<Params>, 'exchange' | 'params'>): Promise<Response> => {
        const { request } = exchange
        requireSameOrigin(request, publicUrl)
        return act({ exchange, request, params, form: await readForm(request) })
      },

    /**
     * What a form on a page for users does.
     *
     * @param pageOf the path of a page to return to when the session has ended
     */
    userAction:
      <Params>(pageOf: string | ((params: Params) => string), act: (sent: UserSent<Params>) => Answer) =>
      async ({ exchange, params }: Pick<Context<Params>, 'exchange' | 'params'>): Promise<Response> => {
        const { request } = exchange
        requireSameOrigin(request, publicUrl)
        const page = typeof pageOf === 'string' ? pageOf : pageOf(params)
        const sender = sessions.find(request)
        if (!sender) return redirect(signInPath(page))
        const form = await readForm(request, sender.userId)
        // Looked up again: the form may take a minute to arrive, and the session may have ended meanwhile.
        const session = sessions.find(request)
        if (!session) return redirect(signInPath(page))
        exchange.email = session.email
        const answer = await toPageWhenSignedOut(page, act({ exchange, request, params, form, session }))
        return keepAlive(request, session, answer)
      },
  }
}

/** The session may also end before the write. */
const toPageWhenSignedOut = async (page: string, answer: Answer): Promise<Response> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return redirect(page)
    throw error
  }
}

/** The query with its question mark, as it was sent; empty if there is none. */
const queryOf = ({ url }: Request): string => {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

const signInPath = (next: string): string => (next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`)

import { AppError } from '../errors.ts'
import { redirect } from '../html/redirect.ts'
import { type Reporter, reportDefect } from '../http/error-response.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Session } from '../sessions/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { type HeldForm, holdForm, parseHeldForm } from './held-form.ts'
import { readForm } from './read-form.ts'
import { requireSameOrigin } from './same-origin.ts'
import { signInPage } from './sign-in-page.ts'

interface Options {
  readonly sessions: BrowserSessions
  readonly publicUrl: string | null
  readonly report: Reporter
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
export const pageAccess = ({ sessions, publicUrl, report }: Options) => {
  const keepAlive = async (exchange: Exchange, session: Session, response: Response): Promise<Response> => {
    // A page that signs out, or in again, sets its own cookies.
    if (response.headers.has('set-cookie')) return response
    const cookies = await sessions.extend(exchange.request, session).catch(reportDefect(report, exchange))
    for (const cookie of cookies ?? []) response.headers.append('set-cookie', cookie)
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
        return keepAlive(exchange, session, await show({ exchange, request, params, query, session }))
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
     * @param showAgain for a form whose fields are worth keeping when the session has ended: shows them after sign-in,
     *   or asks about them, and changes nothing. Never for a form with a password
     */
    userAction:
      <Params>(
        pageOf: string | ((params: Params) => string),
        act: (sent: UserSent<Params>) => Answer,
        showAgain?: (sent: UserSent<Params>) => Answer,
      ) =>
      async ({ exchange, path, params }: Omit<Context<Params>, 'query'>): Promise<Response> => {
        const { request } = exchange
        requireSameOrigin(request, publicUrl)
        const page = typeof pageOf === 'string' ? pageOf : pageOf(params)
        const sender = sessions.find(request)
        const askToSignIn = (fields: URLSearchParams | null): Response => {
          const email = (sender ?? sessions.findDevice(request))?.email ?? ''
          return endedPage(page, showAgain && fields && holdForm({ path, email, fields }))
        }
        if (!sender) return askToSignIn(showAgain ? await readShortForm(request) : null)
        const form = await readForm(request, sender.userId)
        // Looked up again: the form may take a minute to arrive, and the session may have ended meanwhile.
        const session = sessions.find(request)
        if (!session) return askToSignIn(form)
        exchange.email = session.email
        const sent = { exchange, request, params, form, session }
        const held = parseHeldForm(form.get('held'))
        const answer = held
          ? showHeld(held, page, sent, showAgain)
          : orWhenSignedOut(act(sent), () => askToSignIn(form))
        return keepAlive(exchange, session, await answer)
      },
  }
}

/** Null if it is too long to be kept. */
const readShortForm = async (request: Request): Promise<URLSearchParams | null> => {
  try {
    return await readForm(request)
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_large') return null
    throw error
  }
}

/**
 * Answers a form whose session has ended.
 *
 * @param held undefined if it is not kept, null if it is too long for that
 */
const endedPage = (next: string, held: string | null | undefined): Response => {
  const problem = `Your session ended before this was done.${held === null ? ' What you sent is too long to be kept.' : ''}`
  return signInPage({ status: 401, next, held, problem })
}

/** Another user may have signed in than the one who sent the form. */
const showHeld = <Params>(
  { email, fields }: HeldForm,
  page: string,
  sent: UserSent<Params>,
  showAgain: ((sent: UserSent<Params>) => Answer) | undefined,
): Answer => {
  const isOfUser = email === '' || email === sent.session.email
  return showAgain && isOfUser ? showAgain({ ...sent, form: fields }) : redirect(page)
}

/** The session may also end before the write. */
const orWhenSignedOut = async (answer: Answer, otherwise: () => Response): Promise<Response> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return otherwise()
    throw error
  }
}

/** The query with its question mark, as it was sent; empty if there is none. */
const queryOf = ({ url }: Request): string => {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

const signInPath = (next: string): string => (next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`)

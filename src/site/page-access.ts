import type { Session } from '../accounts/sessions/store.ts'
import { expecting } from '../base/errors.ts'
import { below, homePath, type ParamsOf, signInPath } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { type Bar, pageOfUser } from '../html/frame.ts'
import { redirect } from '../html/redirect.ts'
import { type Reporter, reportDefect } from '../http/error-response.ts'
import type { Exchange } from '../http/exchange.ts'
import { readForm, readShortForm } from '../http/read-form.ts'
import { requireCookies, requireSameOrigin } from '../http/same-origin.ts'
import type { Stores } from '../stores/stores.ts'
import { countToSet, findToSet } from '../upkeep/server-needs.ts'
import type { SinceStart } from '../upkeep/since-start.ts'
import { type HeldForm, holdForm, parseHeldForm } from './after-sign-in.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { formPages } from './form-frame.ts'
import { refusedPages } from './refused-page.ts'
import type { Sent, UserSent, UserVisit, Visit } from './visit.ts'

/** The stores come whole, as to every page. */
interface Options extends Omit<Stores, 'sessions'> {
  readonly config: Config
  readonly sinceStart: SinceStart
  readonly now: () => number
  readonly report: Reporter
  readonly sessions: BrowserSessions
  /** @param held undefined if there is no form to hold, null if it is too long for that */
  readonly signInPage: (ended: {
    readonly status: number
    readonly next: string
    readonly held: string | null | undefined
    readonly problem: string
  }) => Response
}

/**
 * The used part of Elysia's context. The handlers below take it apart in their parameter lists, as `http/exchange.ts`
 * explains.
 */
interface Context<Params> {
  readonly exchange: Exchange
  readonly path: string
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
}

type Answer = Response | Promise<Response>

/** A route of the site, and what answers it. */
const siteRoute =
  (method: 'GET' | 'POST') =>
  <Route extends string>({ route }: At<Route>, handle: (context: Context<ParamsOf<Route>>) => Promise<Response>) => ({
    method,
    path: route,
    handle,
  })

const get = siteRoute('GET')
const post = siteRoute('POST')

/** An address, of which the site registers the route. */
interface At<Route extends string> {
  readonly route: Route
}

export type PageAccess = ReturnType<typeof pageAccess>

/** Makes routes. Every one of the site is made by one of these, so that none misses a check. */
export const pageAccess = (options: Options) => {
  const { sessions, signInPage, config, inbox, sinceStart, report } = options
  const { publicUrl } = config
  const refusedPage = refusedPages(options)
  const toSet = () => countToSet(findToSet(config, sinceStart.senders()))

  /** Knows the user from now on, also for the page of an error. Returns what makes a page of theirs. */
  const forUser = (exchange: Exchange, { userId, email, isOperator }: Session) => {
    const bar: Bar = { countUnread: () => inbox.count(userId).unread, countToSet: isOperator ? toSet : undefined }
    exchange.user = { email, bar }
    return <T>(make: () => T): T => pageOfUser.run(bar, make)
  }

  /**
   * Responds to a form whose session has ended.
   *
   * @param held undefined if the form is not held, null if it is too long for that
   */
  const endedPage = (next: string, held: string | null | undefined): Response => {
    const problem = `Your session ended before this was done.${held === null ? ' What you sent is too long to be kept.' : ''}`
    return signInPage({ status: 401, next, held, problem })
  }

  const extendSession = async (exchange: Exchange, session: Session, response: Response): Promise<Response> => {
    // A page that signs out, or in again, sets its own cookies.
    if (response.headers.has('set-cookie')) return response
    const cookies = await sessions.extend(exchange.request, session).catch(reportDefect(report, exchange))
    for (const cookie of cookies ?? []) response.headers.append('set-cookie', cookie)
    return response
  }

  return {
    /** What a page of a form needs to know. */
    formPage: formPages(options),

    /** Shows a page to everyone. */
    visitorPage: <Route extends string>(at: At<Route>, show: (visit: Visit<ParamsOf<Route>>) => Answer) =>
      get(
        at,
        async ({ exchange, params, query }: Context<ParamsOf<Route>>): Promise<Response> =>
          show({ exchange, request: exchange.request, params, query }),
      ),

    /** Shows a page to a user who is signed in. Leads everyone else to sign-in first. */
    userPage: <Route extends string>(at: At<Route>, show: (visit: UserVisit<ParamsOf<Route>>) => Answer) =>
      get(at, async ({ exchange, path, params, query }: Context<ParamsOf<Route>>): Promise<Response> => {
        const { request } = exchange
        const session = sessions.find(request)
        if (!session) return redirect(toSignIn(below(path) + queryOf(request)))
        const make = forUser(exchange, session)
        const shown = await expecting(['forbidden'], () =>
          make(() => show({ exchange, request, params, query, session })),
        )
        const page = shown.state === 'done' ? shown.value : make(() => refusedPage(session, formIdIn(params)))
        if (!page) throw (shown as { readonly error: Error }).error
        // What it shows may have taken long to read.
        if (!sessions.isLive(session)) return redirect(toSignIn(below(path) + queryOf(request)))
        return extendSession(exchange, session, page)
      }),

    /** Does what a form on a page for everyone asks for. */
    visitorAction: <Route extends string>(at: At<Route>, act: (sent: Sent<ParamsOf<Route>>) => Answer) =>
      post(at, async ({ exchange, params }: Context<ParamsOf<Route>>): Promise<Response> => {
        const { request } = exchange
        requireSameOrigin(request, publicUrl)
        requireCookies(request, publicUrl)
        return act({ exchange, request, params, form: await readForm(request) })
      }),

    /**
     * Takes a file that a form on a page for users sends, which `act` receives.
     *
     * @param pageAt the page to return to when the session has ended
     */
    userUpload: <Route extends string>(
      at: At<Route>,
      pageAt: At<string>,
      act: (visit: UserVisit<ParamsOf<Route>>) => Answer,
    ) =>
      post(at, async ({ exchange, params }: Context<ParamsOf<Route>>): Promise<Response> => {
        const { request } = exchange
        requireSameOrigin(request, publicUrl)
        const session = sessions.find(request)
        if (!session) return endedPage(fillIn(pageAt, params), undefined)
        return extendSession(
          exchange,
          session,
          await forUser(exchange, session)(() => act({ exchange, request, params, query: {}, session })),
        )
      }),

    /**
     * Does what a form on a page for users asks for.
     *
     * @param pageAt the page to return to when the session has ended; what varies is as in the request
     * @param showAgain for a form whose fields are worth keeping when the session has ended: shows them after sign-in,
     *   or asks about them, and changes nothing. Never for a form with a password
     */
    userAction: <Route extends string>(
      at: At<Route>,
      pageAt: At<string>,
      act: (sent: UserSent<ParamsOf<Route>>) => Answer,
      showAgain?: (sent: UserSent<ParamsOf<Route>>) => Answer,
    ) =>
      post(at, async ({ exchange, path, params }: Context<ParamsOf<Route>>): Promise<Response> => {
        const { request } = exchange
        requireSameOrigin(request, publicUrl)
        const page = fillIn(pageAt, params)
        const sender = sessions.find(request)
        const askToSignIn = (fields: URLSearchParams | null): Response => {
          const email = (sender ?? sessions.findDevice(request))?.email ?? ''
          return endedPage(page, showAgain && fields && holdForm({ path: below(path), email, fields }))
        }
        if (!sender) return askToSignIn(showAgain ? await readShortForm(request) : null)
        const form = await readForm(request, sender.userId)
        // Looked up again: the form may take a minute to arrive, and the session may have ended meanwhile.
        const session = sessions.find(request)
        if (!session) return askToSignIn(form)
        const make = forUser(exchange, session)
        const sent = { exchange, request, params, form, session }
        const held = parseHeldForm(form.get('held'))
        const answer = held
          ? make(() => showHeld(held, page, sent, showAgain))
          : orWhenSignedOut(
              () => make(() => act(sent)),
              () => askToSignIn(form),
            )
        return extendSession(exchange, session, await answer)
      }),
  }
}

const formIdIn = (params: unknown): string => (params as { readonly formId?: string }).formId ?? ''

const fillIn = ({ route }: At<string>, params: unknown): string =>
  below(
    route.replaceAll(/:(\w+)/g, (_, name) =>
      encodeURIComponent((params as Readonly<Record<string, string>>)[name] ?? ''),
    ),
  )

/** The query with its question mark, as it was sent; empty if there is none. */
const queryOf = ({ url }: Request): string => {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

const toSignIn = (next: string): string =>
  next === homePath() ? signInPath() : `${signInPath()}?next=${encodeURIComponent(next)}`

/** Shows a held form to the user who sent it. Another one may have signed in. */
const showHeld = <Params>(
  { email, fields }: HeldForm,
  page: string,
  sent: UserSent<Params>,
  showAgain: ((sent: UserSent<Params>) => Answer) | undefined,
): Answer => {
  const isOfUser = email === '' || email === sent.session.email
  return showAgain && isOfUser ? showAgain({ ...sent, form: fields }) : redirect(page)
}

/** Responds otherwise if the session ends before the write. */
const orWhenSignedOut = async (act: () => Answer, otherwise: () => Response): Promise<Response> => {
  const answer = await expecting(['unauthenticated'], act)
  return answer.state === 'done' ? answer.value : otherwise()
}

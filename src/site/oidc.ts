import { type Begun, begunSeconds, begunShape, openBegunSignIns } from '../accounts/sessions/begun-sign-ins.ts'
import { accountChanged } from '../accounts/users/account-changed.ts'
import type { ProviderSignIn } from '../accounts/users/sign-in-with-provider.ts'
import { minuteMilliseconds } from '../base/durations.ts'
import { notFound } from '../base/errors.ts'
import { newToken } from '../base/token.ts'
import { accountPath, connectOidcPath, disconnectOidcPath, homePath, signInOidcPath } from '../config/addresses.ts'
import type { OidcConfig } from '../config/oidc.ts'
import { redirect } from '../html/redirect.ts'
import { defineCookie } from '../http/cookies.ts'
import type { Exchange } from '../http/exchange.ts'
import { openProvider, type Person, ProviderError } from '../remote/oidc/provider.ts'
import { ownPath } from './after-sign-in.ts'
import {
  connectPage,
  denied,
  falseCallback,
  invalidAnswer,
  type Problem,
  problemPage,
  refusalOf,
  unreachable,
} from './oidc-pages.ts'
import type { PageOptions } from './page-options.ts'
import { tooManyAttempts } from './sign-in.ts'
import { afterCheck } from './sign-in-code.ts'
import type { UserSent, Visit } from './visit.ts'

/** `/sign-in/oidc`: leads to the provider and takes what comes back from there. Also connects an account on its page. */
export const oidcRoutes = ({ pages: { userAction, visitorPage }, config, now, ...options }: PageOptions) => {
  const { oidc, onlyProvider } = config
  const provider = oidc && openProvider({ config: oidc, allowed: config.webhookAllowed, now })
  const { sessions, userReads, identities, failedAttempts, check, clientOf, report } = options
  const goOnWith = afterCheck(options)
  const begunSignIns = openBegunSignIns({ signingKey: options.signingKey, now })
  const cookie = defineCookie({
    name: 'formbox_oidc',
    shape: begunShape,
    lifetimeSeconds: begunSeconds,
    publicUrl: config.publicUrl,
  })

  const findBegun = async (request: Request): Promise<Begun | null> => {
    const begun = await begunSignIns.find(cookie.read(request) ?? '')
    return begun && { ...begun, next: ownPath(begun.next) }
  }

  const refuse = (request: Request, problem: Problem): Response =>
    problemPage({ ...problem, isOnly: onlyProvider !== null, cookie: cookie.remove(request) })

  let toldAt = Number.NEGATIVE_INFINITY
  /** Says to the operator what is wrong with the provider, once a minute: strangers can cause it. */
  const refuseFor = (error: unknown, { request, requestId }: Exchange, { name }: OidcConfig): Response => {
    if (!(error instanceof ProviderError)) throw error
    if (error.kind === 'false') return refuse(request, falseCallback)
    if (error.kind === 'denied') return refuse(request, denied(name, error.message))
    // A clock that was ahead and was set back must not silence the rest.
    if (now() < toldAt || now() >= toldAt + minuteMilliseconds) {
      toldAt = now()
      report(`sign-in through the OpenID Connect provider failed: ${error.message}`, requestId)
    }
    return refuse(request, error.kind === 'unreachable' ? unreachable(name) : invalidAnswer(name))
  }

  const begin = async (
    exchange: Exchange,
    begun: Omit<Begun, 'secret'>,
    answer: (url: string, cookie: string) => Response,
  ) => {
    if (!oidc || !provider) throw notFound()
    const secret = newToken()
    try {
      const url = await provider.toAuthorizationUrl(secret)
      return answer(url, cookie.set(exchange.request, await begunSignIns.toToken({ ...begun, secret })))
    } catch (error) {
      return refuseFor(error, exchange, oidc)
    }
  }

  const enter = async (
    request: Request,
    signedIn: ProviderSignIn,
    { next }: Begun,
    oidc: OidcConfig,
  ): Promise<Response> => {
    if (signedIn.state !== 'user') return refuse(request, refusalOf(signedIn, oidc.name, onlyProvider !== null))
    const { id: userId, passwordHash } = signedIn.user
    const entered = await goOnWith(request, { userId, passwordHash }, { next })
    if (!entered) throw accountChanged()
    entered.headers.append('set-cookie', cookie.remove(request))
    return entered
  }

  const goOn = async (request: Request, person: Person, begun: Begun, oidc: OidcConfig): Promise<Response> => {
    const { session: beganIn } = begun
    if (beganIn === null) return enter(request, await identities.signIn(person, oidc.users), begun, oidc)
    const session = sessions.find(request)
    if (!session || session.id !== beganIn) return refuse(request, falseCallback)
    const { userId, hash } = session
    const connected = await identities.connect(person, { userId, session: hash }, oidc.users)
    return connected.state === 'connected'
      ? redirect(`${accountPath()}?done=connected#notice`, cookie.remove(request))
      : enter(request, connected, begun, oidc)
  }

  const finish = async (exchange: Exchange, query: URLSearchParams): Promise<Response> => {
    if (!oidc || !provider) throw notFound()
    const { request } = exchange
    const begun = await findBegun(request)
    if (!begun || !provider.isAnswerTo(query, begun.secret)) return refuse(request, falseCallback)
    const attempt = failedAttempts.begin({ address: clientOf(exchange) })
    if (!attempt.isAllowed) {
      const { problem, ...refusal } = tooManyAttempts(attempt.retryAfterSeconds)
      return refuse(request, { ...refusal, title: 'Not signed in', text: problem })
    }
    try {
      const person = await provider.finish(query, begun.secret)
      attempt.takeBack()
      return await goOn(request, person, begun, oidc)
    } catch (error) {
      return refuseFor(error, exchange, oidc)
    }
  }

  const on = {
    show({ exchange, request, query }: Visit): Response | Promise<Response> {
      if (!oidc) throw notFound()
      const start = request.url.indexOf('?')
      const answer = new URLSearchParams(start === -1 ? '' : request.url.slice(start))
      if (['state', 'code', 'error'].some((name) => answer.has(name))) return finish(exchange, answer)
      const next = ownPath(query.next)
      if (sessions.find(request)) return redirect(next)
      return begin(exchange, { session: null, next }, redirect)
    },

    /** Asks for the password, so that no one who finds an open browser makes a way in that stays. */
    async connect({ exchange, request, session, form }: UserSent): Promise<Response> {
      if (!oidc) throw notFound()
      const checked = await check(session.email, form.get('current') ?? '', { session: session.hash })
      if (checked.state === 'wrong') return redirect(`${accountPath()}?done=not-connected#notice`)
      if (checked.state === 'wait') {
        const { problem, ...refusal } = tooManyAttempts(checked.retryAfterSeconds)
        return refuse(request, { ...refusal, title: 'Not connected', text: problem })
      }
      // A link, because the policy of our pages lets no form end at another host.
      return begin(exchange, { session: session.id, next: homePath() }, (url, set) =>
        connectPage(session.email, oidc.name, url, set),
      )
    },

    /** Not for a user who would have no way in afterwards. */
    async disconnect({ session }: UserSent): Promise<Response> {
      if (!oidc) throw notFound()
      if (userReads.findUserById(session.userId)?.hasPassword)
        await identities.disconnectIdentities(session.userId, oidc.issuer)
      return redirect(`${accountPath()}?done=disconnected#notice`)
    },
  }

  return [
    visitorPage(signInOidcPath, on.show),
    userAction(connectOidcPath, accountPath, on.connect),
    userAction(disconnectOidcPath, accountPath, on.disconnect),
  ]
}

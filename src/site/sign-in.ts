import { AppError } from '../errors.ts'
import { redirect } from '../html/redirect.ts'
import { type Exchange, routes } from '../http/exchange.ts'
import { type CheckCredentials, tooManyTries } from '../users/credentials.ts'
import type { Devices } from './devices.ts'
import type { Gate } from './page-access.ts'
import type { Sessions } from './sessions.ts'
import { signInPage } from './sign-in-page.ts'

interface Options {
  readonly gate: Gate
  readonly sessions: Sessions
  readonly devices: Devices
  readonly check: CheckCredentials
  readonly hasUsers: () => boolean
  /** What the throttle counts a client by. */
  readonly addressOf: (exchange: Exchange) => string
}

const home = '/settings/keys'

export const signIn = ({ gate, sessions, devices, check, hasUsers, addressOf }: Options) => {
  const enter = async (request: Request, form: URLSearchParams, address: string): Promise<Response> => {
    const email = form.get('email') ?? ''
    const next = ownPath(form.get('next'))
    const refuse = (status: number, problem: string, headers?: Record<string, string>) =>
      signInPage({ status, email, next, problem, ...(headers && { headers }) })
    const wrong = () => refuse(401, 'The e-mail address or the password is wrong.')

    const outcome = await check(email, form.get('password') ?? '', { address, device: devices.find(request) })
    if (outcome === 'wrong') return wrong()
    if ('retryAfterSeconds' in outcome) {
      const { retryAfterSeconds } = outcome
      return refuse(429, tooManyTries(retryAfterSeconds), { 'retry-after': String(retryAfterSeconds) })
    }
    try {
      return redirect(next, ...(await sessions.start(request, outcome.userId, outcome.passwordHash)))
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return wrong()
      throw error
    }
  }

  return routes('sign-in')
    .get('/', ({ request }) => redirect(sessions.find(request) ? home : '/sign-in'))
    .get('/sign-in', ({ request, query }) => {
      const next = ownPath(query.next)
      return sessions.find(request) ? redirect(next) : signInPage({ next, isEmpty: !hasUsers(), done: query.done })
    })
    .post(
      '/sign-in',
      ({ exchange, request }) => gate.publicAction(request, (form) => enter(request, form, addressOf(exchange))),
      { parse: 'none' },
    )
    .post(
      '/sign-out',
      ({ request }) =>
        gate.action(request, home, async (session) =>
          redirect('/sign-in?done=signed-out', await sessions.end(session)),
        ),
      { parse: 'none' },
    )
}

/** A page of ours that one may be led to after sign-in: never another host, never something that does anything. */
const ownPath = (next: unknown): string =>
  typeof next === 'string' && /^\/settings\/[a-z0-9/-]*$/.test(next) ? next : home

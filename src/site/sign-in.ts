import { AppError } from '../errors.ts'
import { redirect, redirectWithForm } from '../html/redirect.ts'
import type { Exchange } from '../http/exchange.ts'
import type { CheckCredentials } from '../users/check-credentials.ts'
import type { UserStore } from '../users/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { parseHeldForm } from './held-form.ts'
import type { Sent, UserSent, Visit } from './page-access.ts'
import { signInPage } from './sign-in-page.ts'
import { tooManyAttempts } from './too-many-attempts.ts'

interface Options {
  readonly sessions: BrowserSessions
  readonly users: Pick<UserStore, 'hasUsers'>
  readonly check: CheckCredentials
  /** What the failed attempts of a client are counted by. */
  readonly addressOf: (exchange: Exchange) => string
}

/** Where a user who signs in is led, unless another page was asked for. */
export const home = '/'

export const signIn = ({ sessions, users, check, addressOf }: Options) => ({
  show({ request, query }: Visit): Response {
    const next = ownPath(query.next)
    return sessions.find(request) ? redirect(next) : signInPage({ next, isEmpty: !users.hasUsers(), done: query.done })
  },

  /** Leads to the page asked for, or sends the form that the page held to where it was sent before. */
  async signIn({ exchange, request, form }: Sent): Promise<Response> {
    const email = form.get('email') ?? ''
    const next = ownPath(form.get('next'))
    const held = parseHeldForm(form.get('held'))
    const again = { email, next, held: held && form.get('held') }
    const origin = { address: addressOf(exchange), device: sessions.findDevice(request) }
    const checked = await check(email, form.get('password') ?? '', origin)
    if (checked === 'wrong') return wrong(again)
    if ('retryAfterSeconds' in checked) return signInPage({ ...tooManyAttempts(checked.retryAfterSeconds), ...again })
    try {
      const cookies = await sessions.start(request, checked.userId, checked.passwordHash)
      return held && ownPath(held.path) === held.path
        ? redirectWithForm(held.path, ...cookies)
        : redirect(next, ...cookies)
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return wrong(again)
      throw error
    }
  },

  async signOut({ session }: UserSent): Promise<Response> {
    return redirect('/sign-in?done=signed-out', await sessions.end(session))
  },
})

/** A page of ours to go to after sign-in: never another host, never a path that does something. */
const ownPath = (next: unknown): string => (typeof next === 'string' && ownPages.test(next) ? next : home)

const ownPages = /^\/(?:(?:forms|settings)\/[a-z0-9/-]*)?(?:\?[\w=&%.~+-]{0,1000})?$/

const wrong = (again: Parameters<typeof signInPage>[0]): Response =>
  signInPage({ ...again, status: 401, problem: 'The e-mail address or password is wrong.' })

import { AppError } from '../errors.ts'
import { field } from '../html/field.ts'
import { frame } from '../html/frame.ts'
import { brand } from '../html/header.ts'
import { html } from '../html/html.ts'
import { notice } from '../html/notice.ts'
import { redirect } from '../html/redirect.ts'
import type { Exchange } from '../http/exchange.ts'
import type { CheckCredentials } from '../users/check-credentials.ts'
import type { UserStore } from '../users/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { Sent, UserSent, Visit } from './page-access.ts'
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

  async signIn({ exchange, request, form }: Sent): Promise<Response> {
    const email = form.get('email') ?? ''
    const next = ownPath(form.get('next'))
    const origin = { address: addressOf(exchange), device: sessions.findDevice(request) }
    const checked = await check(email, form.get('password') ?? '', origin)
    if (checked === 'wrong') return wrong(email, next)
    if ('retryAfterSeconds' in checked) {
      const { problem, ...refusal } = tooManyAttempts(checked.retryAfterSeconds)
      return signInPage({ ...refusal, email, next, problem })
    }
    try {
      return redirect(next, ...(await sessions.start(request, checked.userId, checked.passwordHash)))
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') return wrong(email, next)
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

const wrong = (email: string, next: string): Response =>
  signInPage({ status: 401, email, next, problem: 'The e-mail address or password is wrong.' })

interface Shown {
  readonly status?: number
  readonly email?: string
  /** The path of the page to go to afterwards. */
  readonly next: string
  /** Why the last attempt failed. */
  readonly problem?: string
  /** Nobody has an account yet. */
  readonly isEmpty?: boolean
  /** What was just done, by its name in `doneTexts`. */
  readonly done?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const signInPage = ({ status = 200, email = '', next, problem, isEmpty, done, headers }: Shown): Response => {
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return frame({
    status,
    title: 'Sign in · Formbox',
    ...(headers && { headers }),
    body: html`${brand}
<div class="card">
<h1>Sign in</h1>
${problem && notice('failed', problem)}${doneText && notice('done', doneText)}${isEmpty && nobodyYet}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
${field({ name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'username', hasFocus: email === '' })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: email !== '' })}
<button class="primary full">Sign in</button>
</form>
</div>`,
  })
}

const nobodyYet = html`<p class="notice">There is no account yet. Open the <code>/setup</code> link that the server
printed when it started, or run <code>formbox user create</code>.</p>`

const doneTexts: Readonly<Record<string, string>> = {
  'signed-out': 'You have signed out.',
  'signed-out-everywhere': 'You have signed out everywhere.',
}

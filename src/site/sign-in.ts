import { AppError } from '../errors.ts'
import { field } from '../html/field.ts'
import { brand, frame, notice } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { redirect, redirectWithForm } from '../html/redirect.ts'
import type { Exchange } from '../http/exchange.ts'
import type { CheckCredentials } from '../users/check-credentials.ts'
import type { UserStore } from '../users/store.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { Sent, UserSent, Visit } from './visit.ts'

interface Options {
  readonly sessions: BrowserSessions
  readonly users: Pick<UserStore, 'hasUsers'>
  readonly check: CheckCredentials
  /** The key under which the failed attempts of a client are counted. */
  readonly clientOf: (exchange: Exchange) => string
}

/** The page to go to after sign-in, unless another one was asked for. */
export const home = '/'

/** `/sign-in` and `/sign-out`. */
export const signInHandlers = ({ sessions, users, check, clientOf }: Options) => ({
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
    const origin = { address: clientOf(exchange), device: sessions.findDevice(request) }
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

const ownPages = /^\/(?:people|(?:forms|settings)\/[a-z0-9/-]*)?(?:\?[\w=&%.~+-]{0,1000})?$/

const wrong = (again: Parameters<typeof signInPage>[0]): Response =>
  signInPage({ ...again, status: 401, problem: 'The e-mail address or password is wrong.' })

/** The answer of a page while passwords are not checked, because too many attempts have failed. */
export const tooManyAttempts = (retryAfterSeconds: number) => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return {
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
    problem: `Too many failed attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
  }
}

interface Shown {
  readonly status?: number
  readonly email?: string
  /** The path of the page to go to afterwards. */
  readonly next: string
  /** A form to be sent again afterwards, see `holdForm`. */
  readonly held?: string | null | undefined
  /** The reason why this page is shown instead of the one asked for. */
  readonly problem?: string
  /** Whether nobody has an account yet. */
  readonly isEmpty?: boolean
  /** The name in `doneTexts` of what was just done. */
  readonly done?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const signInPage = (shown: Shown): Response => {
  const { status = 200, email = '', next, held, problem, isEmpty, done, headers } = shown
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return frame({
    status,
    title: 'Sign in · Formbox',
    ...(headers && { headers }),
    body: html`${brand}
<div class="card">
<h1>Sign in</h1>
${problem && notice('failed', problem)}${held && heldNotice}${doneText && notice('done', doneText)}${isEmpty && nobodyYet}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
${
  held &&
  html`<input type="hidden" name="held" value="${held}">
`
}${field({ name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'username', hasFocus: email === '' })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: email !== '' })}
<button class="primary full">Sign in</button>
</form>
</div>`,
  })
}

const heldNotice = html`<p class="notice">Sign in to go on with what you sent. This page keeps it until then.</p>`

const nobodyYet = html`<p class="notice">There is no account yet. Open the <code>/setup</code> link that the server
printed when it started, or run <code>formbox user create</code>.</p>`

const doneTexts: Readonly<Record<string, string>> = {
  'signed-out': 'You have signed out.',
  'signed-out-everywhere': 'You have signed out everywhere.',
}

/** A form that was sent after its session had ended. The sign-in page holds it until the user has signed in. */
export interface HeldForm {
  /** Where it was sent. */
  readonly path: string
  /** Address of the account that the browser was signed in to; empty if that is not known. */
  readonly email: string
  readonly fields: URLSearchParams
}

/** With the rest of the sign-in page, this has to fit into the longest form that is read from visitors. */
const maxHeldCharacters = 60_000

/** Returns the form as the value of a hidden input; null if that would be too long. */
export const holdForm = ({ path, email, fields }: HeldForm): string | null => {
  const texts = [path, email, ...[...fields].flat()]
  // Base64 is as long in HTML, and when it is sent back.
  const value = Buffer.from(JSON.stringify(texts)).toString('base64url')
  return value.length > maxHeldCharacters ? null : value
}

/** Reads what `holdForm` returned; null for anything else. */
export const parseHeldForm = (value: string | null): HeldForm | null => {
  const [path, email, ...rest] = parseTexts(value ?? '')
  if (path === undefined || email === undefined || rest.length % 2 === 1) return null
  const fields = new URLSearchParams()
  for (let i = 0; i < rest.length; i += 2) fields.append(rest[i] as string, rest[i + 1] as string)
  return { path, email, fields }
}

const parseTexts = (value: string): string[] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64url').toString())
    return Array.isArray(parsed) && parsed.every((text) => typeof text === 'string') ? parsed : []
  } catch {
    return []
  }
}

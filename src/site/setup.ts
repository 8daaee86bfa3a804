import { notFound } from '../errors.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { brand, frame, pageTitle } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { parseEmail } from '../users/email.ts'
import { checkPassword, hashPassword } from '../users/passwords.ts'
import type { SetupToken } from '../users/setup-token.ts'
import type { UserStore } from '../users/store.ts'
import { home } from './after-sign-in.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { parseInputs } from './parse-inputs.ts'
import type { Sent, Visit } from './visit.ts'

interface Options {
  readonly sessions: BrowserSessions
  readonly users: UserStore
  readonly setupToken: SetupToken
}

/** `/setup`: creates the first account. Once there is an account, it does not exist. */
export const setupHandlers = ({ sessions, users, setupToken: token }: Options) => ({
  show({ query }: Visit): Response {
    if (users.hasUsers()) throw notFound()
    return token.matches(String(query.token ?? '')) ? setupPage({ token: token.value }) : invalidLinkPage()
  },

  async createUser({ request, form }: Sent): Promise<Response> {
    if (users.hasUsers()) throw notFound()
    if (!token.matches(form.get('token') ?? '')) return invalidLinkPage()
    const typed = form.get('email') ?? ''
    const inputs = parseInputs({
      email: () => parseEmail(typed),
      password: () => checkPassword(form.get('password') ?? ''),
    })
    if ('errors' in inputs) return setupPage({ status: 400, token: token.value, email: typed, errors: inputs.errors })
    const { email, password } = inputs.values
    const passwordHash = await hashPassword(password)
    const userId = await users.createFirstUser(email, passwordHash)
    return redirect(home, ...(await sessions.start(request, { userId, passwordHash })))
  },
})

interface Shown {
  readonly status?: number
  readonly token: string
  readonly email?: string
  readonly errors?: FieldErrors
}

const setupPage = ({ status = 200, token, email = '', errors = {} }: Shown): Response =>
  frame({
    status,
    title: pageTitle('Set up', status),
    headers,
    body: html`${brand}
<div class="card">
<h1>Set up Formbox</h1>
<p class="lead">Create the first account. Your forms and everything people send belong to this account.</p>
<form method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  value: email,
  error: errors.email,
  hint: 'You sign in with it. Formbox e-mails it only if you add it to the notifications of a form.',
  autocomplete: 'username',
  hasFocus: !errors.password,
})}
${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  error: errors.password,
  hint: 'At least 12 characters.',
  autocomplete: 'new-password',
})}
<button class="primary full">Create account</button>
</form>
</div>`,
  })

const invalidLinkPage = (): Response =>
  frame({
    status: 403,
    title: 'Set up · Formbox',
    headers,
    body: html`${brand}
<div class="card">
<h1>This link is not valid</h1>
<p>A link to this page works for 30 minutes, or until the server is restarted.</p>
<p>Restart Formbox and open the link that it prints, or run <code>formbox user create</code>.</p>
</div>`,
  })

// The address of this page contains the token, so no request from this page may send the address in `Referer`. With
// `no-referrer`, browsers would send `Origin: null` with the form, as if it came from another site.
const headers = { 'referrer-policy': 'strict-origin' }

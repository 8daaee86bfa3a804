import { parseEmail } from '../accounts/users/email.ts'
import { checkPassword, hashPassword, unknownPasswordHash } from '../accounts/users/passwords.ts'
import { AppError } from '../base/errors.ts'
import { homePath, setupPath, signInPath } from '../config/addresses.ts'
import { pageTitle, strangerPage, tokenPageHeaders } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { type Exchange, isBrowser } from '../http/exchange.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import type { Sent, Visit } from './visit.ts'

/** `/setup`: creates the first account. Once there is an account, it leads to sign-in. */
export const setupRoutes = (options: PageOptions) => {
  const { visitorAction, visitorPage } = options.pages
  const { onlyProvider: provider } = options.config
  const { sessions, users, userReads, setupToken: token } = options
  const invalidLink = (): Response => invalidLinkPage(provider)

  const on = {
    show({ exchange, query }: Visit): Response {
      if (userReads.hasUsers()) return existsPage(exchange)
      return token.matches(String(query.token ?? '')) ? setupPage({ provider, token: token.value }) : invalidLink()
    },

    async createUser({ exchange, request, form }: Sent): Promise<Response> {
      if (userReads.hasUsers()) return existsPage(exchange)
      if (!token.matches(form.get('token') ?? '')) return invalidLink()
      const typed = form.get('email') ?? ''
      const inputs = parseInputs({
        email: () => parseEmail(typed),
        password: () => (provider === null ? checkPassword(form.get('password') ?? '') : null),
      })
      if (inputs.state === 'invalid')
        return setupPage({ status: 400, provider, token: token.value, email: typed, errors: inputs.errors })
      const { email, password } = inputs.values
      const passwordHash = password === null ? unknownPasswordHash() : await hashPassword(password)
      const userId = await users.createFirstUser({ email, passwordHash, hasPassword: password !== null })
      if (userId === undefined) return existsPage(exchange)
      // The holder of the link only names an address. The provider says whose it is.
      if (password === null) return redirect(`${signInPath()}?done=set-up`)
      return redirect(homePath(), ...(await sessions.start(request, { userId, passwordHash })))
    },
  }

  return [visitorPage(setupPath, on.show), visitorAction(setupPath, on.createUser)]
}

interface Shown {
  readonly status?: number
  /** The name of the provider, if only it signs people in: the account then has no password. */
  readonly provider: string | null
  readonly token: string
  readonly email?: string
  readonly errors?: InputErrors
}

const setupPage = ({ status = 200, provider, token, email = '', errors = {} }: Shown): Response =>
  strangerPage({
    status,
    title: pageTitle('Set up', status),
    headers: tokenPageHeaders,
    card: html`<h1>Welcome</h1>
<p class="lead">Create the first account. Your forms, and everything people send to them, belong to it.</p>
<form class="inputs" method="post" action="${setupPath()}">
<input type="hidden" name="token" value="${token}">
${labelledInput({
  name: 'email',
  label: 'Email address',
  type: 'email',
  value: email,
  error: errors.email,
  hint: `${provider === null ? 'You sign in with it.' : `The one that ${provider} has verified as yours.`}`,
  autocomplete: 'username',
  hasFocus: !errors.password,
})}
${
  provider === null &&
  labelledInput({
    name: 'password',
    label: 'Password',
    type: 'password',
    error: errors.password,
    hint: 'At least 12 characters. Three or four words are good.',
    autocomplete: 'new-password',
  })
}
<button class="primary full">Create account</button>
</form>`,
    below: html`<p class="muted small apart">Everything stays on this server. Formbox sends nothing to anyone but those you name.</p>`,
  })

/** Says no more than the page to sign in, which says when no one has an account. */
const existsPage = (exchange: Exchange): Response => {
  if (!isBrowser(exchange)) throw new AppError('not_found', 'The first account exists already. Sign in at /sign-in')
  return strangerPage({
    status: 404,
    title: pageTitle('Set up', 404),
    headers: tokenPageHeaders,
    card: html`<h1>The first account exists already</h1>
<p>This page only creates the first one.</p>
<p><a class="button primary full" href="${signInPath()}">Sign in</a></p>`,
  })
}

const invalidLinkPage = (provider: string | null): Response =>
  strangerPage({
    status: 403,
    title: 'Set up · Formbox',
    headers: tokenPageHeaders,
    card: html`<h1>This link is not valid</h1>
<p>A link to this page works for 30 minutes, or until the server is restarted.</p>
<p>Restart Formbox and open the link that it prints, or run <code>formbox user create${provider !== null && ' --no-password'}</code>.</p>`,
  })

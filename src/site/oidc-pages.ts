import type { ProviderSignIn } from '../accounts/users/sign-in-with-provider.ts'
import { accountPath, signInPath } from '../config/addresses.ts'
import { frame, ownPage, strangerPage } from '../html/frame.ts'
import { html } from '../html/html.ts'

/** Why someone was not signed in through a provider, in words for them. */
export interface Problem {
  readonly status?: number
  readonly title: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export const falseCallback: Problem = {
  title: 'Please sign in again',
  text: 'This sign-in was started in another browser or more than ten minutes ago, or has already been used.',
}
export const denied = (name: string, reason: string): Problem => ({
  title: 'Not signed in',
  text: `${name} did not sign you in, or you declined there${reason}. Try again, or ask the person who runs this server.`,
})
export const unreachable = (name: string): Problem => ({
  status: 503,
  title: 'Not signed in',
  text: `${name} is not responding. Try again in a minute.`,
})
export const invalidAnswer = (name: string): Problem => ({
  status: 502,
  title: 'Not signed in',
  text: `The response from ${name} is not valid. The log of this server has the reason.`,
})
/** Why a person whom the provider has signed in is no user here. */
export const refusalOf = (
  refused: Exclude<ProviderSignIn, { readonly state: 'user' }>,
  name: string,
  isOnly: boolean,
): Problem => {
  switch (refused.state) {
    case 'disabled':
      return refusal('Not signed in', 'This account is disabled. Ask the person who runs this server.')
    case 'unverified':
      return refusal(
        'No account yet',
        `${name} does not confirm that your email address is verified. Verify it there, and try again.`,
      )
    case 'password':
      return refusal(
        'Connect your account first',
        `There is an account for ${refused.email} with a password. ${isOnly ? 'Ask the person who runs this server for a new password. Within an hour, sign' : 'Sign'} in with it, and connect it with ${name} on the page “Account”.`,
      )
    case 'uninvited':
      return refusal('No account yet', `There is no account for ${refused.email}. Ask the person who runs this server.`)
    case 'taken':
      return refusal(
        'Not connected',
        `The account for ${refused.email} cannot be connected with this sign-in: one of them already has another connection.`,
      )
  }
}

const refusal = (title: string, text: string): Problem => ({ status: 403, title, text })

export const problemPage = ({
  status = 400,
  title,
  text,
  headers = {},
  isOnly,
  cookie,
}: Problem & { readonly isOnly: boolean; readonly cookie: string }): Response =>
  strangerPage({
    status,
    title: `${title} · Formbox`,
    headers: { ...headers, 'set-cookie': cookie },
    card: html`<h1>${title}</h1>
<p>${text}</p>
<p><a class="button full" href="${signInPath()}">${isOnly ? 'Try again' : 'Back to sign-in'}</a></p>`,
  })

export const connectPage = (email: string, name: string, url: string, cookie: string): Response =>
  frame({
    ...ownPage(`Connect with ${name}`, accountPath, email),
    headers: { 'set-cookie': cookie },
    body: html`<div class="card says">
<h1>Connect with ${name}</h1>
<p>Continue to ${name} and sign in there. You then come back here.</p>
<p><a class="button primary named" href="${url}">Continue to ${name}</a></p>
</div>`,
  })

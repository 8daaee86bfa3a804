import type { Invitation } from '../accounts/members/invitation-writes.ts'
import type { InvitedAccount } from '../accounts/members/store.ts'
import { checkPassword, hashPassword } from '../accounts/users/passwords.ts'
import { expecting } from '../base/errors.ts'
import { visible } from '../base/visible.ts'
import {
  formPath,
  formsPath,
  homePath,
  invitePath,
  type ParamsOf,
  signInPath,
  signOutPath,
} from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { pageTitle, strangerPage, tokenPageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import { invitationWords } from './role-words.ts'
import { providerButton } from './sign-in.ts'
import type { Sent, Visit } from './visit.ts'

type InvitationParams = ParamsOf<typeof invitePath.route>

/** `/invite/:token`: lets someone who was invited make an account, or take the form into theirs. */
export const invitationRoutes = (options: PageOptions) => {
  const { visitorAction, visitorPage } = options.pages
  const { oidc, onlyProvider } = options.config
  const { members, sessions } = options

  const page = (request: Request, token: string, invitation: Invitation, rest: Partial<Shown> = {}): Response =>
    invitationPage({
      token,
      invitation,
      signedInAs: sessions.find(request)?.email,
      account: members.accountOf(invitation, !onlyProvider),
      oidc,
      onlyProvider,
      ...rest,
    })

  const on = {
    show({ request, params: { token } }: Visit<InvitationParams>): Response {
      const invitation = members.findInvitation(token)
      return invitation ? page(request, token, invitation) : gonePage(sessions.find(request) !== undefined)
    },

    async accept({ request, params: { token }, form }: Sent<InvitationParams>): Promise<Response> {
      const invitation = members.findInvitation(token)
      const session = sessions.find(request)
      const gone = () => gonePage(session !== undefined)
      if (!invitation) return gone()
      const account = members.accountOf(invitation, !onlyProvider)
      if (session) {
        if (session.email !== invitation.email) return page(request, token, invitation, { status: 403 })
        if (account !== 'theirs')
          return orGone(gone, async () => {
            await members.acceptInvitation(token, session.userId)
            return redirect(formPath(invitation.formId))
          })
      }
      if (onlyProvider || (account !== 'none' && account !== 'theirs')) return page(request, token, invitation)
      const inputs = parseInputs({ password: () => checkPassword(form.get('password') ?? '') })
      if (inputs.state === 'invalid') return page(request, token, invitation, { status: 400, errors: inputs.errors })
      const passwordHash = await hashPassword(inputs.values.password)
      return orGone(gone, async () => {
        const userId = await members.createInvitedUser(token, passwordHash)
        return redirect(formPath(invitation.formId), ...(await sessions.start(request, { userId, passwordHash })))
      })
    },
  }

  return [visitorPage(invitePath, on.show), visitorAction(invitePath, on.accept)]
}

/** Someone took it back, or it was accepted in another window. */
const orGone = async (gone: () => Response, work: () => Promise<Response>): Promise<Response> => {
  const done = await expecting(['not_found'], work)
  return done.state === 'done' ? done.value : gone()
}

/** Through the provider, the account can be made, too. */
interface Shown extends Pick<Config, 'oidc' | 'onlyProvider'> {
  readonly status?: number
  readonly token: string
  readonly invitation: Invitation
  /** Address of the user whose session the browser has. */
  readonly signedInAs: string | undefined
  readonly account: InvitedAccount
  readonly errors?: InputErrors
}

const invitationPage = (shown: Shown): Response => {
  const { status = 200, invitation } = shown
  return strangerPage({
    status,
    title: pageTitle('Invitation', status),
    headers: tokenPageHeaders,
    card: html`<h1>You are invited</h1>
<p class="lead">The form <b><bdi>${visible(invitation.title)}</bdi></b> is shared with you, ${invitation.email}. ${invitationWords[invitation.role]}</p>
${nextStep(shown)}`,
  })
}

const nextStep = ({ token, invitation, signedInAs, account, oidc, onlyProvider, errors = {} }: Shown): Html => {
  const { email } = invitation
  const path = invitePath(token)
  if (signedInAs === email && account !== 'theirs')
    return html`<form method="post" action="${path}">
<button class="primary full">Open the form</button>
</form>`
  if (signedInAs !== undefined && signedInAs !== email)
    return html`<p>You are signed in as ${signedInAs}. Sign out, and open this link again.</p>
<form method="post" action="${signOutPath()}">
<button class="full">Sign out</button>
</form>`
  const throughProvider = oidc && providerButton(oidc)
  const signIn = html`<p><a class="button primary full" href="${signInPath()}?next=${encodeURIComponent(path)}">Sign in</a></p>`
  if (account === 'proved')
    return html`<p>You already have an account here.</p>
${signIn}`
  if (account === 'unproved')
    return html`<p>There is already an account with this address. If it is not yours, ${oidc && `sign in with ${oidc.name}, or `}ask the person who runs this server.</p>
${throughProvider}${!onlyProvider && signIn}`
  if (account === 'disabled') return html`<p>This account is disabled. Ask the person who runs this server.</p>`
  if (onlyProvider) return throughProvider ?? signIn
  return html`${account === 'theirs' && takingOver}${throughProvider}<form class="inputs" method="post" action="${path}">
<div class="field">
<label for="email">Email address</label>
<input id="email" type="email" value="${email}" autocomplete="username" readonly aria-describedby="email-hint">
<p class="hint" id="email-hint">You sign in with it.</p>
</div>
${labelledInput({
  name: 'password',
  label: 'Choose a password',
  type: 'password',
  error: errors.password,
  hint: 'At least 12 characters.',
  autocomplete: 'new-password',
  hasFocus: true,
})}
<button class="primary full">${account === 'theirs' ? 'Take over the account' : 'Create account'}</button>
</form>`
}

const takingOver = html`<p>There is an account with your address, but the address has not been proved. This link proves it, so the account becomes
yours. Anyone who used it is signed out. Its API keys, its two-step sign-in and its access to the forms of others end. Its own forms
become yours: look through them.</p>
`

/** Most who come here have accepted it, and open the email once more. */
const gonePage = (isSignedIn: boolean): Response =>
  strangerPage({
    status: 404,
    title: pageTitle('Invitation', 404),
    headers: tokenPageHeaders,
    card: html`<h1>This invitation is not valid</h1>
<p>An invitation works once, within seven days, unless it was cancelled. If you have accepted it, the form is among your
forms. If not, ask for another one.</p>
<p><a class="button full" href="${(isSignedIn ? formsPath : homePath)()}">${isSignedIn ? 'To your forms' : 'Sign in'}</a></p>`,
  })

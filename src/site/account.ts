import { parseNewAddress } from '../accounts/members/address-store.ts'
import type { ListedSession, Session } from '../accounts/sessions/store.ts'
import { checkPassword, hashPassword } from '../accounts/users/passwords.ts'
import { invalid } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import {
  accountPath,
  addressPath,
  connectOidcPath,
  disconnectOidcPath,
  endSessionPath,
  type ParamsOf,
  passwordPath,
  secondFactorPath,
  signInPath,
  signOutEverywherePath,
  signOutOthersPath,
} from '../config/addresses.ts'
import { ago, time } from '../html/format.ts'
import { frame, notice, noticeOf, ownPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { addressSection } from './account-address.ts'
import type { PageOptions } from './page-options.ts'
import { parseInputs } from './parse-inputs.ts'
import { notYourPassword, whyRefused } from './sign-in.ts'
import type { UserSent, UserVisit } from './visit.ts'

type SessionParams = ParamsOf<typeof endSessionPath.route>

/** `/settings/account`: changes the password, lists the browsers that are signed in, and signs them out. */
export const accountRoutes = (options: PageOptions) => {
  const { userAction, userPage } = options.pages
  const { oidc } = options.config
  const { sessions, users, addresses, userReads, identities, secondFactors, check, now } = options

  const page = (session: Session, rest: Partial<Shown> = {}): Response => {
    const user = userReads.findUserById(session.userId)
    return accountPage({
      session,
      sessions: sessions.list(session.userId),
      sessionCount: sessions.count(session.userId),
      hasSecondFactor: secondFactors.findSecondFactor(session.userId) !== null,
      hasPassword: user?.hasPassword ?? false,
      isProved: user?.isProved ?? true,
      mayChange: addresses.canMail && (user?.isProved || user?.wasProved) === true,
      provider: oidc && { name: oidc.name, isConnected: identities.isConnected(session.userId, oidc.issuer) },
      now: now(),
      ...rest,
    })
  }

  /** Checks the password in an input of this name. Returns the page that says what is wrong with it. */
  const checkCurrent = async (session: Session, password: string, name: string, typed: Partial<Shown> = {}) => {
    const checked = await check(session.email, password, { session: session.hash })
    if (checked.state === 'right') return checked
    const { problem, ...refusal } = whyRefused(checked, notYourPassword)
    return page(session, { ...typed, errors: { [name]: problem }, ...refusal })
  }

  const on = {
    show: ({ session, query }: UserVisit): Response => page(session, { done: query.done }),

    /** Says the same whether or not another user has the address. */
    async mailLink({ session, form }: UserSent): Promise<Response> {
      const user = userReads.findUserById(session.userId)
      const typed = { newAddress: form.get('address') ?? '' }
      const refuse = (problem: string, refusal: Partial<Shown> = {}): Response =>
        page(session, { ...typed, errors: { address: problem }, status: 400, ...refusal })
      const inputs = parseInputs({ address: () => parseNewAddress(typed.newAddress, user) })
      if (inputs.state === 'invalid') return page(session, { ...typed, errors: inputs.errors, status: 400 })
      if (user?.hasPassword) {
        const checked = await checkCurrent(session, form.get('current') ?? '', 'addressPassword', typed)
        if (checked instanceof Response) return checked
      }
      const asked = await addresses.askFor(session.userId, inputs.values.address)
      if (asked.state === 'sent') return redirect(`${accountPath()}?done=link#notice`)
      if (asked.state === 'not sent') return refuse('No email could be sent there. Try again later.')
      const headers = { 'retry-after': String(asked.seconds) }
      return refuse(`Too many links. Try again in ${Math.ceil(asked.seconds / 60)} minutes.`, { status: 429, headers })
    },

    async changePassword({ request, session, form }: UserSent): Promise<Response> {
      const { userId, hash } = session
      const inputs = parseInputs({
        current: () => requireFilled(form.get('current') ?? ''),
        new: () => checkPassword(form.get('new') ?? ''),
      })
      if (inputs.state === 'invalid') return page(session, { errors: inputs.errors, status: 400 })
      const checked = await checkCurrent(session, inputs.values.current, 'current')
      if (checked instanceof Response) return checked
      const passwordHash = await hashPassword(inputs.values.new)
      await users.changePassword({ userId, oldHash: checked.passwordHash, passwordHash, session: hash })
      return redirect(`${accountPath()}?done=password#notice`, sessions.renewDevice(request, session, passwordHash))
    },

    async endSession({ session, params }: UserSent<SessionParams>): Promise<Response> {
      await sessions.endOne(session, params.sessionId)
      return redirect(`${accountPath()}?done=signed-out-one#notice`)
    },

    async signOutOthers({ session }: UserSent): Promise<Response> {
      await sessions.endOthers(session)
      return redirect(`${accountPath()}?done=signed-out-others#notice`)
    },

    async signOutEverywhere({ request, session }: UserSent): Promise<Response> {
      return redirect(`${signInPath()}?done=signed-out-everywhere`, await sessions.endAll(request, session))
    },
  }

  return [
    userPage(accountPath, on.show),
    userAction(addressPath, accountPath, on.mailLink),
    userAction(passwordPath, accountPath, on.changePassword),
    userAction(signOutOthersPath, accountPath, on.signOutOthers),
    userAction(signOutEverywherePath, accountPath, on.signOutEverywhere),
    userAction(endSessionPath, accountPath, on.endSession),
  ]
}

const requireFilled = (text: string): string => {
  if (text !== '') return text
  throw invalid({ field: 'current password', message: 'enter your current password' })
}

interface Shown {
  /** The session of the browser that shows the page. */
  readonly session: Session
  /** Browsers in which the user is signed in, including this one, those used last first. */
  readonly sessions: readonly ListedSession[]
  /** How many there are. */
  readonly sessionCount: number
  readonly now: number
  readonly hasSecondFactor: boolean
  /** False for a user who signs in through the provider alone. */
  readonly hasPassword: boolean
  readonly isProved: boolean
  /** Whether a link can be mailed that proves another address, or this one. */
  readonly mayChange: boolean
  /** What was typed. */
  readonly newAddress?: string
  readonly provider: { readonly name: string; readonly isConnected: boolean } | null
  readonly status?: number
  readonly errors?: InputErrors
  readonly headers?: Readonly<Record<string, string>>
  readonly done?: unknown
}

const accountPage = (shown: Shown): Response => {
  const { session, hasSecondFactor, hasPassword, provider, status = 200, errors = {}, headers = {}, done } = shown
  const { email } = session
  return frame({
    ...ownPage('Account', accountPath, email, status),
    headers,
    body: html`<div class="head"><h1>Account</h1></div>
${noticeOf({ ...doneTexts, ...(provider && connectionTexts(provider.name)) }, done)}${done === 'not-connected' && notice('failed', 'Not connected: this is not your current password.')}
${addressSection({ ...shown, isOperator: session.isOperator, email, errors, provider: provider?.name ?? null })}${hasPassword && html`${passwordSection(email, errors)}${secondFactorSection(hasSecondFactor)}`}${provider && providerSection(provider, email, hasPassword)}${sessionsSection(shown)}<section class="card" aria-labelledby="keys-heading" data-keys-switch hidden>
<h2 id="keys-heading">Keyboard</h2>
<p class="lead">In lists and on messages: <kbd>j</kbd> next, <kbd>e</kbd> done, <kbd>s</kbd> spam, <kbd>r</kbd> reply. <kbd>?</kbd> lists them all.</p>
</section>`,
  })
}

const doneTexts = {
  password: 'Your password has been changed. All other browsers have been signed out.',
  'signed-out-one': 'That browser has been signed out.',
  'second-factor-off': 'Two-step sign-in is off.',
  'signed-out-others': 'All other browsers have been signed out.',
  link: 'A link was emailed to that address. Open it within 24 hours in this browser. If it does not arrive, look into the spam folder.',
  address: 'Your address has been changed. All other browsers have been signed out.',
  proved: 'Your address is proved.',
} as const

const connectionTexts = (name: string) => ({
  connected: `Your account is connected with ${name}.`,
  disconnected: `Your account is no longer connected with ${name}.`,
})

const passwordSection = (
  email: string,
  errors: InputErrors,
): Html => html`<section class="card" aria-labelledby="password-heading">
<h2 id="password-heading">Password</h2>
<form class="inputs" method="post" action="${passwordPath()}">
<input class="visually-hidden" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
<div class="pair">
${labelledInput({ name: 'current', label: 'Current password', type: 'password', error: errors.current, autocomplete: 'current-password' })}
${labelledInput({
  name: 'new',
  label: 'New password',
  type: 'password',
  error: errors.new,
  hint: 'At least 12 characters.',
  autocomplete: 'new-password',
})}
</div>
<div class="actions"><button>Change password</button></div>
<p class="hint">Signs out all other browsers. API keys keep working.</p>
</form>
</section>
`

const secondFactorSection = (isOn: boolean): Html => html`<section class="card" aria-labelledby="second-factor-heading">
<div class="between"><h2 id="second-factor-heading">Two-step sign-in</h2><span class="chip ${isOn ? 'is-good' : 'is-warn'}">${isOn ? 'On' : 'Off'}</span></div>
<p class="lead">After the password, a code from your phone: a stolen password is then not enough.</p>
<div class="actions"><a class="button" href="${secondFactorPath()}">${isOn ? 'Change two-step sign-in' : 'Turn on two-step sign-in'}</a></div>
</section>
`

const providerSection = (
  { name, isConnected }: NonNullable<Shown['provider']>,
  email: string,
  hasPassword: boolean,
): Html => html`<section class="card" aria-labelledby="provider-heading">
<h2 id="provider-heading">Sign in with ${name}</h2>
<p class="lead">${
  isConnected
    ? `Your account is connected with ${name}${hasPassword ? '.' : ', which is your only way to sign in.'}`
    : `Connect your account with ${name} to sign in there. Your password keeps working if the server allows passwords.`
}</p>
${
  isConnected
    ? hasPassword &&
      html`<form method="post" action="${disconnectOidcPath()}"><button class="named">Disconnect from ${name}</button></form>`
    : html`<form class="inputs" method="post" action="${connectOidcPath()}">
<input class="visually-hidden" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${labelledInput({ name: 'current', id: 'provider-password', label: 'Current password', type: 'password', autocomplete: 'current-password' })}
<div class="actions"><button class="named">Connect with ${name}</button></div>
</form>`
}
</section>`

/** The section of the account's page that lists where the user is signed in, and signs out there. */
const sessionsSection = ({
  session,
  sessions,
  sessionCount,
  now,
}: Shown): Html => html`<section class="card" aria-labelledby="sessions-heading">
<div class="between"><h2 id="sessions-heading">Where you are signed in</h2>
${
  sessionCount > 1 &&
  html`<form method="post" action="${signOutOthersPath()}">
<button>Sign out ${sessionCount === 2 ? 'the other browser' : `${sessionCount - 1} other browsers`}</button>
</form>`
}</div>
<p class="lead">${
  sessionCount === 1 ? 'No other browser is signed in.' : `${sessionCount} browsers are signed in, including this one.`
} API keys keep working if you sign out.</p>
<ul class="things">
${sessions.map((listed) => sessionItem(listed, session, now))}
</ul>
${sessionCount > sessions.length && html`<p class="hint">Only those used last are listed. To end the others, sign out everywhere.</p>`}
<form method="post" action="${signOutEverywherePath()}">
<button>Sign out everywhere</button>
</form>
</section>
`

const sessionItem = ({ id, browser, lastUsedAt }: ListedSession, current: Session, now: number): Html => {
  const isCurrent = id === current.id
  const signedInAt = creationTime(id)
  return html`<li class="${isCurrent ? 'is-ok' : 'is-none'}">
<div class="what"><p><strong>${browser}</strong>${isCurrent && html` <span class="chip">This browser</span>`}</p>
<p class="muted">Signed in ${time(signedInAt)}${!isCurrent && html`, last used ${ago(lastUsedAt, now, 48, time(lastUsedAt))}`}</p></div>
${
  !isCurrent &&
  html`<div class="does"><form method="post" action="${endSessionPath(id)}">
<button aria-label="Sign out ${browser}, signed in ${isoMinute(signedInAt)}">Sign out</button>
</form></div>`
}
</li>`
}

const isoMinute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

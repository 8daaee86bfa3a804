import type { Session } from '../accounts/sessions/store.ts'
import type { CheckedCode, RefusedCode } from '../accounts/users/second-factor-writes.ts'
import { newTotpSecret, otpauthUri, stepOf, totpSecretShape } from '../accounts/users/totp.ts'
import { accountPath, recoveryCodesPath, secondFactorOffPath, secondFactorPath } from '../config/addresses.ts'
import { copyable } from '../html/copyable.ts'
import { frame, ownPage } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { PageOptions } from './page-options.ts'
import { notYourPassword, whyRefused } from './sign-in.ts'
import { usedCode, wrongCode } from './sign-in-code.ts'
import type { UserSent, UserVisit } from './visit.ts'

/** `/settings/account/second-factor`: turns the second factor of a user on and off. */
export const secondFactorRoutes = (options: PageOptions) => {
  const { userAction, userPage } = options.pages
  const { sessions, secondFactors, check, checkCode, addressOf, now } = options
  const { findSecondFactor, turnOnSecondFactor, turnOffSecondFactor } = secondFactors

  const showOn = ({ userId, email }: Session, problem: Problem = {}): Response =>
    onPage({ email, codesLeft: findSecondFactor(userId)?.recoveryCodes.length ?? 0, ...problem })

  /** Does something if the code is right, and shows that. @param name of the input, which shows what is wrong with it */
  const withCode = async <Done extends { readonly state: 'right' }>(
    { session, form }: UserSent,
    name: 'renew' | 'off',
    act: (code: CheckedCode) => Promise<Done | RefusedCode>,
    show: (done: Done) => Response,
  ): Promise<Response> => {
    if (!findSecondFactor(session.userId)) return redirect(secondFactorPath())
    const checked = await checkCode(session, form.get(name) ?? '', { session: session.hash })
    const done = checked.state === 'right' ? await act(checked.code) : checked
    if (done.state === 'right') return show(done)
    const { problem, ...refusal } =
      done.state === 'used'
        ? { status: 400, problem: usedCode }
        : whyRefused(done, 'This is neither the current code in your app nor an unused recovery code.')
    return showOn(session, { errors: { [name]: problem }, ...refusal })
  }

  const on = {
    show: ({ request, session }: UserVisit): Response | Promise<Response> =>
      findSecondFactor(session.userId)
        ? showOn(session)
        : offPage({ email: session.email, secret: newTotpSecret(), address: addressOf(request) }),

    /** Asks for the password, so that no one who finds an open browser locks its owner out. */
    async turnOn({ request, session, form }: UserSent): Promise<Response> {
      const { userId, email, hash } = session
      if (findSecondFactor(userId)) return redirect(secondFactorPath())
      const sent = form.get('secret') ?? ''
      const secret = totpSecretShape.test(sent) ? sent : newTotpSecret()
      const refuse = (errors: InputErrors, { status = 400, headers = {} } = {}) =>
        offPage({ email, secret, address: addressOf(request), errors, status, headers })
      const step = stepOf(secret, (form.get('code') ?? '').replaceAll(/\D/g, ''), now())
      if (step === null) return refuse({ code: wrongCode })
      const checked = await check(email, form.get('current') ?? '', { session: hash })
      if (checked.state !== 'right') {
        const { problem, ...refusal } = whyRefused(checked, notYourPassword)
        return refuse({ current: problem }, refusal)
      }
      const { passwordHash } = checked
      const codes = await turnOnSecondFactor({ userId, passwordHash, session: hash, secret, step })
      return codesPage(email, codes, { 'set-cookie': sessions.renewDevice(request, session, passwordHash) })
    },

    replaceRecoveryCodes: (sent: UserSent): Promise<Response> => {
      const { userId, email, hash } = sent.session
      return withCode(
        sent,
        'renew',
        (code) => secondFactors.replaceRecoveryCodes({ userId, session: hash, code }),
        ({ codes }) => codesPage(email, codes),
      )
    },

    turnOff: (sent: UserSent): Promise<Response> => {
      const { userId, hash } = sent.session
      return withCode(
        sent,
        'off',
        (code) => turnOffSecondFactor({ userId, session: hash, code }),
        () => redirect(`${accountPath()}?done=second-factor-off#notice`),
      )
    },
  }

  return [
    userPage(secondFactorPath, on.show),
    userAction(secondFactorPath, secondFactorPath, on.turnOn),
    userAction(recoveryCodesPath, secondFactorPath, on.replaceRecoveryCodes),
    userAction(secondFactorOffPath, secondFactorPath, on.turnOff),
  ]
}

interface Problem {
  readonly status?: number
  readonly errors?: InputErrors
  readonly headers?: Readonly<Record<string, string>>
}

interface OffPage extends Problem {
  readonly email: string
  /** A new one, or the one that was shown before. */
  readonly secret: string
  readonly address: string
}

const offPage = async ({
  email,
  secret,
  address,
  status = 200,
  errors = {},
  headers = {},
}: OffPage): Promise<Response> => {
  const { qrCode } = await import('../html/qr-code.ts')
  const { host } = new URL(address)
  const uri = otpauthUri(secret, `Formbox ${host}`, email)
  return frame({
    ...ownPage('Two-step sign-in', accountPath, email, status),
    headers,
    body: html`<div class="head"><h1>Two-step sign-in</h1></div>
<p class="lead">After your password, Formbox will ask for a code from your phone. Anyone who learns your password still can’t
sign in without the phone.</p>
<form class="apart" method="post" action="${secondFactorPath()}">
<section class="card inputs" aria-labelledby="app-heading">
<h2 id="app-heading">1. Get an app for codes</h2>
<p class="lead">Any authenticator app works, and so do most password managers. It needs no internet connection.</p>
</section>
<section class="card inputs" aria-labelledby="scan-heading">
<h2 id="scan-heading">2. Scan this with the app</h2>
${qrCode(uri, 'QR code for your app. The text below says the same.')}
<p class="lead">Or type this key into the app:</p>
${copyable('key', secret.replaceAll(/(?<=.)(?=(?:.{4})+$)/g, ' '), 'Copy key')}
<input type="hidden" name="secret" value="${secret}">
</section>
<section class="card inputs" aria-labelledby="code-heading">
<h2 id="code-heading">3. Show that it works</h2>
<div class="inputs">
${labelledInput({
  name: 'code',
  label: '6-digit code',
  type: 'number',
  error: errors.code,
  hint: 'Shown in the app. It changes every 30 seconds.',
  autocomplete: 'one-time-code',
})}
<input class="visually-hidden" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${labelledInput({ name: 'current', label: 'Current password', type: 'password', error: errors.current, autocomplete: 'current-password' })}
<p class="hint">All other browsers will be signed out. API keys keep working.</p>
<div class="actions"><button class="primary">Turn on</button></div>
</div>
</section>
</form>`,
  })
}

interface OnPage extends Problem {
  readonly email: string
  /** How many recovery codes were not used yet. */
  readonly codesLeft: number
}

const onPage = ({ email, codesLeft, status = 200, errors = {}, headers = {} }: OnPage): Response =>
  frame({
    ...ownPage('Two-step sign-in', accountPath, email, status),
    headers,
    body: html`<div class="head"><h1>Two-step sign-in is on</h1></div>
<p class="lead">After your password, Formbox asks for a code from the app on your phone, in every browser.</p>
<section class="card apart" aria-labelledby="codes-heading">
<h2 id="codes-heading">Recovery codes</h2>
<p class="lead">${codesLeft === 0 ? 'No recovery code is left.' : `You have ${codesLeft === 1 ? 'one recovery code' : `${codesLeft} recovery codes`} left.`}
Each signs you in once without your phone.</p>
<form class="inputs" method="post" action="${recoveryCodesPath()}">
${labelledInput({ name: 'renew', label: 'Code', type: 'text', error: errors.renew, hint: codeHint, autocomplete: 'one-time-code' })}
<div class="actions"><button>Make ten new codes</button></div>
</form>
</section>
<section class="card" aria-labelledby="off-heading">
<h2 id="off-heading">Turn it off</h2>
<p class="lead">For a new phone, turn it off and on again.</p>
<form class="inputs" method="post" action="${secondFactorOffPath()}">
${labelledInput({ name: 'off', label: 'Code', type: 'text', error: errors.off, hint: codeHint, autocomplete: 'one-time-code' })}
<div class="actions"><button class="danger">Turn off</button></div>
</form>
</section>`,
  })

const codeHint = 'From your app, or a recovery code.'

/** Shown once, in the response to the form itself: a server that is restarted then, or another machine, would not know them. */
const codesPage = (email: string, codes: readonly string[], headers = {}): Response =>
  frame({
    ...ownPage('Recovery codes', accountPath, email),
    headers,
    body: html`<div class="head"><h1>Two-step sign-in is on</h1></div>
<section class="card new" aria-labelledby="new-heading" data-secret>
<h2 id="new-heading">Your recovery codes</h2>
<p><strong>Save them now.</strong> They are shown only once. If your phone is lost, each of them signs you in once. Print them,
or keep them in a password manager. Older recovery codes no longer work.</p>
${copyable('recovery-codes', codes.join('\n'), 'Copy codes')}
<div class="actions"><a class="button primary" href="${accountPath()}">I have saved them</a></div>
</section>`,
  })

import {
  homePath,
  signInCodePath,
  signInGoOnPath,
  signInOidcPath,
  signInPath,
  signOutPath,
} from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import type { OidcConfig } from '../config/oidc.ts'
import { notice, noticeOf, strangerPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { type Destination, destinationIn, destinationInputs, goOn, ownPath } from './after-sign-in.ts'
import type { PageOptions } from './page-options.ts'
import { afterCheck, codePage, usedCode, wrongCode, wrongRecoveryCode } from './sign-in-code.ts'
import type { Sent, UserSent, Visit } from './visit.ts'

interface Options extends PageOptions {
  readonly signInPage: ShowSignIn
}

/** `/sign-in` and `/sign-out`. */
export const signInRoutes = (options: Options) => {
  const { userAction, visitorAction, visitorPage } = options.pages
  const { signInPage, sessions, userReads, secondFactors, pendingSignIns, check, checkCode, clientOf } = options

  const goOnWith = afterCheck(options)

  const wrong = (again: Parameters<ShowSignIn>[0]): Response =>
    signInPage({ ...again, status: 401, problem: 'The email address or password is wrong.' })

  /** The password has changed meanwhile, or the user no longer has a second factor. */
  const tooLate = (destination: Destination): Response =>
    signInPage({
      ...destination,
      status: 401,
      problem: 'That took too long, or the account was changed. Sign in again.',
    })

  const on = {
    show({ request, query }: Visit): Response {
      const next = ownPath(query.next)
      return sessions.find(request)
        ? redirect(next)
        : signInPage({
            next,
            isEmpty: !userReads.hasUsers(),
            done: query.done,
            withPassword: query.with === 'password',
          })
    },

    /** Asks for a code if the user has turned on a second factor. */
    async signIn({ exchange, request, form }: Sent): Promise<Response> {
      const email = form.get('email') ?? ''
      const destination = destinationIn(form)
      const again = { email, ...destination, withPassword: form.get('with') === 'password' }
      const origin = { address: clientOf(exchange), device: sessions.findDevice(request) }
      const checked = await check(email, form.get('password') ?? '', origin)
      if (checked.state === 'wrong') return wrong(again)
      if (checked.state === 'wait') return signInPage({ ...tooManyAttempts(checked.retryAfterSeconds), ...again })
      return (await goOnWith(request, checked, destination)) ?? wrong(again)
    },

    /** Goes on with what the page holds after a sign-in in another tab. */
    goOn({ request, form }: Sent): Response {
      const destination = destinationIn(form)
      return sessions.find(request)
        ? goOn(destination, [])
        : signInPage({ ...destination, status: 401, problem: 'You have not signed in yet.' })
    },

    /** Leads a browser that was reloaded or opened again to the first page. */
    startAgain: (): Response => redirect(signInPath()),

    /** Signs in with the code that was asked for after the password. */
    async sendCode({ exchange, request, form }: Sent): Promise<Response> {
      const destination = destinationIn(form)
      const state = form.get('state') ?? ''
      const isRecovery = form.has('recovery')
      const user = pendingSignIns.find(state)
      if (!user || !secondFactors.findSecondFactor(user.userId)) return tooLate(destination)
      const { userId, passwordHash } = user
      const refuse = (
        problem: string,
        refusal: { status: number; headers?: Record<string, string> } = { status: 401 },
      ) => codePage({ ...refusal, state, destination, problem, isRecovery })
      const origin = { address: clientOf(exchange), device: sessions.findDevice(request) }
      const checked = await checkCode(user, form.get('code') ?? '', origin)
      const started =
        checked.state === 'right'
          ? await sessions.tryStart(request, { userId, passwordHash, code: checked.code })
          : checked
      switch (started.state) {
        case 'started':
          return goOn(destination, started.cookies)
        case 'changed':
          return tooLate(destination)
        case 'wrong':
          return refuse(isRecovery ? wrongRecoveryCode : wrongCode)
        case 'used':
          return refuse(usedCode)
        case 'wait': {
          const { problem, ...refusal } = tooManyAttempts(started.retryAfterSeconds)
          return refuse(problem, refusal)
        }
      }
    },

    async signOut({ request, session }: UserSent): Promise<Response> {
      return redirect(`${signInPath()}?done=signed-out`, await sessions.end(request, session))
    },
  }

  return [
    visitorPage(signInPath, on.show),
    visitorAction(signInPath, on.signIn),
    visitorAction(signInGoOnPath, on.goOn),
    visitorPage(signInCodePath, on.startAgain),
    visitorAction(signInCodePath, on.sendCode),
    userAction(signOutPath, homePath, on.signOut),
  ]
}

/** The response of a page while passwords are not checked, because too many attempts have failed. */
export const tooManyAttempts = (retryAfterSeconds: number) => {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const time = minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : minutes === 1 ? 'a minute' : `${minutes} minutes`
  return {
    status: 429,
    headers: { 'retry-after': String(retryAfterSeconds) },
    problem: `Too many failed attempts. Try again in ${time}.`,
  }
}

/** Why a password or a code is refused that someone has to enter again. @param wrong what is said if it is wrong */
export const whyRefused = (
  checked: { readonly state: 'wrong' } | { readonly state: 'wait'; readonly retryAfterSeconds: number },
  wrong: string,
) =>
  checked.state === 'wait' ? tooManyAttempts(checked.retryAfterSeconds) : { status: 400, headers: {}, problem: wrong }

export const notYourPassword = 'This is not your current password.'

interface Shown extends Destination {
  readonly status?: number
  readonly email?: string
  /** The reason why this page is shown instead of the one asked for. */
  readonly problem?: string
  /** Whether to show a form for the password though the provider alone signs in. */
  readonly withPassword?: boolean
  /** Whether no one has an account yet. */
  readonly isEmpty?: boolean
  /** The name in `doneTexts` of what was just done. */
  readonly done?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type ShowSignIn = (shown: Shown) => Response

/** The page to sign in, with the button of the provider if there is one. */
export const signInPages =
  ({ oidc, onlyProvider }: Pick<Config, 'oidc' | 'onlyProvider'>): ShowSignIn =>
  (shown) => {
    const { status = 200, email = '', next, held, problem, isEmpty, done, headers } = shown
    const hasPassword = !onlyProvider || shown.withPassword === true
    return strangerPage({
      status,
      title: 'Sign in · Formbox',
      ...(headers && { headers }),
      card: html`<h1>Sign in</h1>
${problem && notice('failed', problem)}${held && heldNotice}${noticeOf(doneTexts, done)}${isEmpty && nobodyYet(onlyProvider)}
${
  hasPassword &&
  html`
<form class="inputs" method="post" action="${signInPath()}">
${destinationInputs({ next, held })}${
  shown.withPassword &&
  html`<input type="hidden" name="with" value="password">
`
}${labelledInput({ name: 'email', label: 'Email address', type: 'email', value: email, autocomplete: 'username', hasFocus: email === '' })}
${labelledInput({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: email !== '' })}
<button class="primary full">Sign in</button>
</form>`
}
${oidc && (held ? throughNewTab(oidc, { next, held }) : providerButton(oidc, next, hasPassword ? '' : ' primary'))}`,
      below: hasPassword && forgotten(oidc),
    })
  }

export const providerButton = ({ name }: OidcConfig, next = homePath(), look = ''): Html =>
  html`<p><a class="button full named${look}" href="${signInOidcPath()}${next !== homePath() && `?next=${encodeURIComponent(next)}`}">Sign in with ${name}</a></p>`

/** The provider cannot carry what the page holds. So the page stays, and someone who has signed in beside it goes on from it. */
const throughNewTab = (
  { name }: OidcConfig,
  destination: Destination,
): Html => html`<p><a class="button full named" href="${signInOidcPath()}" target="_blank">Sign in with ${name}, in a new tab</a></p>
<form method="post" action="${signInGoOnPath()}">
${destinationInputs(destination)}<button class="full named">I have signed in there. Continue</button>
</form>`

const heldNotice = html`<p class="notice">Sign in to continue. This page keeps what you sent until then.</p>`

/** What to do without a password. Formbox mails no new ones: who reads a mailbox would own its account. */
const forgotten = (
  oidc: OidcConfig | null,
): Html => html`<details class="fold apart"><summary>Forgotten the password?</summary>
<div class="within"><p>${oidc && `Sign in with ${oidc.name}, if your account is connected with it. Otherwise, ask`}${!oidc && 'Ask'} the person who runs this server. With this command, they get a new one for you:</p>
<p><code>formbox user password you@example.com</code></p>
<p>Without the phone for your codes: <code>formbox user reset-2fa you@example.com</code></p></div></details>`

const nobodyYet = (
  onlyProvider: string | null,
): Html => html`<p class="notice"><span>There is no account yet. Open the <code>/setup</code> link that the server
printed when it started, or run <code>formbox user create${onlyProvider && ' --no-password'}</code>.</span></p>`

const doneTexts: Readonly<Record<string, string>> = {
  'set-up': 'The account was created. Now sign in to it.',
  'signed-out': 'You have signed out.',
  'signed-out-everywhere': 'You have signed out everywhere.',
}

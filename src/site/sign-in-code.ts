import type { Proof } from '../accounts/users/second-factor-writes.ts'
import { signInCodePath, signInPath } from '../config/addresses.ts'
import { pageTitle, strangerPage } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { type Destination, destinationInputs, goOn } from './after-sign-in.ts'
import type { PageOptions } from './page-options.ts'

/** Leads on after the password or the provider: to a session, or to the page of the code. Undefined if the account has changed. */
export const afterCheck =
  ({ sessions, secondFactors, pendingSignIns }: Pick<PageOptions, 'sessions' | 'secondFactors' | 'pendingSignIns'>) =>
  async (request: Request, { userId, passwordHash }: Omit<Proof, 'code'>, destination: Destination) => {
    const proof = { userId, passwordHash }
    if (secondFactors.findSecondFactor(userId)) return codePage({ state: pendingSignIns.toToken(proof), destination })
    const started = await sessions.tryStart(request, proof)
    return started.state === 'started' ? goOn(destination, started.cookies) : undefined
  }

interface Shown {
  readonly status?: number
  /** The proof that the password was right, see accounts/sessions/pending-sign-ins.ts. */
  readonly state: string
  readonly destination: Destination
  readonly problem?: string
  /** Whether the problem is that of a recovery code. */
  readonly isRecovery?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks for the code of a second factor, after the password. */
export const codePage = ({
  status = 200,
  state,
  destination,
  problem,
  isRecovery = false,
  headers,
}: Shown): Response => {
  const inputs = html`<input type="hidden" name="state" value="${state}">
${destinationInputs(destination)}`
  return strangerPage({
    status,
    title: pageTitle('Enter your code', status),
    ...(headers && { headers }),
    card: html`<h1>Enter your code</h1>
<p class="lead">Open the authenticator app on your phone.</p>
<form class="inputs" method="post" action="${signInCodePath()}">
${inputs}${labelledInput({
  name: 'code',
  label: '6-digit code',
  type: 'number',
  error: isRecovery ? undefined : problem,
  hint: 'It changes every 30 seconds.',
  autocomplete: 'one-time-code',
  hasFocus: !isRecovery,
})}
<button class="primary full">Sign in</button>
</form>
<details class="fold"${isRecovery && html` open`}>
<summary>I don’t have my phone</summary>
<form class="inputs within" method="post" action="${signInCodePath()}">
${inputs}<input type="hidden" name="recovery" value="yes">
${labelledInput({
  name: 'code',
  id: 'recovery-code',
  label: 'Recovery code',
  type: 'text',
  error: isRecovery ? problem : undefined,
  hint: 'One of the ten that you saved. Each works once. Without one, ask the person who runs this server.',
})}
<button class="full named">Sign in with a recovery code</button>
</form>
</details>
<p><a href="${signInPath()}">Sign in with another account</a></p>`,
  })
}

export const wrongCode = 'This code is wrong. Enter the one that the app shows now.'
export const wrongRecoveryCode = 'This is not one of your recovery codes, or it was used already.'
export const usedCode = 'This code was used already. Wait for the next one.'

import { field } from '../html/field.ts'
import { brand, frame, notice } from '../html/frame.ts'
import { html } from '../html/html.ts'

interface Shown {
  readonly status?: number
  readonly email?: string
  /** The path of the page to go to afterwards. */
  readonly next: string
  /** A form to be sent again afterwards, see held-form.ts. */
  readonly held?: string | null | undefined
  /** Why this page is shown instead of what was asked for. */
  readonly problem?: string
  /** Nobody has an account yet. */
  readonly isEmpty?: boolean
  /** What was just done, by its name in `doneTexts`. */
  readonly done?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const signInPage = ({
  status = 200,
  email = '',
  next,
  held,
  problem,
  isEmpty,
  done,
  headers,
}: Shown): Response => {
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return frame({
    status,
    title: 'Sign in · Formbox',
    ...(headers && { headers }),
    body: html`${brand}
<div class="card">
<h1>Sign in</h1>
${problem && notice('failed', problem)}${held && kept}${doneText && notice('done', doneText)}${isEmpty && nobodyYet}
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

const kept = html`<p class="notice">Sign in to go on with what you sent. This page keeps it until then.</p>`

const nobodyYet = html`<p class="notice">There is no account yet. Open the <code>/setup</code> link that the server
printed when it started, or run <code>formbox user create</code>.</p>`

const doneTexts: Readonly<Record<string, string>> = {
  'signed-out': 'You have signed out.',
  'signed-out-everywhere': 'You have signed out everywhere.',
}

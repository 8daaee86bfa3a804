import { field } from '../html/field.ts'
import { frame } from '../html/frame.ts'
import { brand } from '../html/header.ts'
import { html } from '../html/html.ts'
import { notice } from '../html/notice.ts'

interface Options {
  readonly status?: number
  readonly email?: string
  /** Where to go afterwards. */
  readonly next: string
  /** Why the last try failed. */
  readonly problem?: string
  /** Nobody has an account yet. */
  readonly isEmpty?: boolean
  /** Name of what led here. */
  readonly done?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const doneTexts: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out.',
  'signed-out-everywhere': 'You are signed out everywhere.',
}

export const signInPage = ({ status = 200, email = '', next, problem, isEmpty, done, headers }: Options): Response => {
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return frame({
    status,
    title: 'Sign in · Formbox',
    ...(headers && { headers }),
    body: html`${brand}
<div class="card">
<h1>Sign in</h1>
${problem && notice('failed', problem)}${doneText && notice('done', doneText)}${isEmpty && nobodyYet}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
${field({ name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'username', hasFocus: email === '' })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: email !== '' })}
<button class="primary full">Sign in</button>
</form>
</div>`,
  })
}

const nobodyYet = html`<p class="notice">There is no account yet. Open the <code>/setup</code> address that the server
printed when it started, or run <code>formbox user create</code>.</p>`

import { type FieldErrors, field } from '../html/field.ts'
import { frame } from '../html/frame.ts'
import { brand } from '../html/header.ts'
import { html } from '../html/html.ts'

// The address of this page holds the token: no request that starts here may tell it in `Referer`. `no-referrer` would
// be stricter than needed: with it, browsers send `Origin: null` with the form, which then reads as another site's.
const headers = { 'referrer-policy': 'strict-origin' }

interface Options {
  readonly status?: number
  readonly token: string
  readonly email?: string
  readonly errors?: FieldErrors
}

export const setupPage = ({ status = 200, token, email = '', errors = {} }: Options): Response =>
  frame({
    status,
    title: `${status === 200 ? '' : 'Error: '}Set up · Formbox`,
    headers,
    body: html`${brand}
<div class="card">
<h1>Set up Formbox</h1>
<p class="lead">Create the first account. You use it to manage API keys.</p>
<form method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  value: email,
  error: errors.email,
  hint: 'To sign in with. Nothing is ever sent to it.',
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

export const expiredSetupPage = (): Response =>
  frame({
    status: 403,
    title: 'Set up · Formbox',
    headers,
    body: html`${brand}
<div class="card">
<h1>This address is no longer valid</h1>
<p>It is good for 30 minutes, and each start of the server makes a new one.</p>
<p>Restart Formbox and open the address that it prints, or run <code>formbox user create</code>.</p>
</div>`,
  })

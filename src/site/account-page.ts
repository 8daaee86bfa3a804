import { type FieldErrors, field } from '../html/field.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { html } from '../html/html.ts'
import { notice } from '../html/notice.ts'

interface Options {
  readonly email: string
  /** Browsers in which the user is signed in, this one among them. */
  readonly sessionCount: number
  readonly status?: number
  readonly errors?: FieldErrors
  readonly headers?: Readonly<Record<string, string>>
  readonly done?: unknown
}

export const accountPage = ({
  email,
  sessionCount,
  status = 200,
  errors = {},
  headers = {},
  done,
}: Options): Response =>
  frame({
    status,
    title: `${status === 200 ? '' : 'Error: '}Account · Formbox`,
    headers,
    width: 'wide',
    header: header('/settings/account', email),
    body: html`<h1>Account</h1>
${done === 'password' && notice('done', 'Your password is changed. All other browsers are signed out.')}
<p class="lead">You are signed in as <strong>${email}</strong>.</p>
<section class="card" aria-labelledby="password-heading">
<h2 id="password-heading">Change password</h2>
<p class="lead">All other browsers are signed out then. API keys keep working.</p>
<form class="column" method="post" action="/settings/account/password">
<input class="visually-hidden" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${field({ name: 'current', label: 'Current password', type: 'password', error: errors.current, autocomplete: 'current-password' })}
${field({
  name: 'new',
  label: 'New password',
  type: 'password',
  error: errors.new,
  hint: 'At least 12 characters.',
  autocomplete: 'new-password',
})}
<button class="primary">Change password</button>
</form>
</section>
<section class="card" aria-labelledby="sessions-heading">
<h2 id="sessions-heading">Sign out everywhere</h2>
<p class="lead">${
      sessionCount === 1
        ? 'No other browser is signed in.'
        : `${sessionCount} browsers are signed in, this one among them.`
    } API keys keep working.</p>
<form method="post" action="/settings/account/sign-out-everywhere">
<button>Sign out everywhere</button>
</form>
</section>`,
  })

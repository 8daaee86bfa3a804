import { copyable } from '../html/copyable.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { Key } from '../keys/store.ts'
import { keysTable } from './keys-table.ts'

export interface KeysPage {
  readonly status?: number
  readonly email: string
  readonly keys: readonly Key[]
  readonly now: number
  readonly address: string
  /** The value of a key that was just created. */
  readonly value?: string | null
  readonly typed?: Typed
  readonly errors?: FieldErrors
  /** Whether what was typed was sent after the session had ended. */
  readonly isUnsaved?: true
  readonly done?: unknown
}

interface Typed {
  readonly name: string
  readonly expires: string
  readonly permission: string
}

const nothingTyped: Typed = { name: '', expires: '', permission: 'full' }

export const keysPage = (shown: KeysPage): Response => {
  const { status = 200, email, keys, now, address, value, typed = nothingTyped, errors = {}, isUnsaved, done } = shown
  return frame({
    status,
    title: `${status === 200 ? '' : 'Error: '}API keys · Formbox`,
    width: 'wide',
    header: header('/settings/keys', email),
    body: html`<h1>API keys</h1>
<p class="lead">With a key, a program can read and manage your forms and their submissions. Treat it like a password.
The <a href="/docs">API reference</a> describes every operation and lets you try it.</p>
${done === 'revoked' && notice('done', 'The key has been revoked.')}
${isUnsaved && html`<p class="notice failed" role="alert">Not created yet. What you typed is under <a href="#create-heading">Create a key</a>.</p>`}
${value && created(value, address)}
${keys.length === 0 ? nothingYet(address) : keysTable(keys, now)}
${creationForm(typed, errors, now)}`,
  })
}

const created = (
  value: string,
  address: string,
): Html => html`<section class="card new" id="created" tabindex="-1" aria-labelledby="new-heading" data-secret>
<h2 id="new-heading">Your new key</h2>
<p><strong>Copy it now.</strong> It is shown only once.</p>
${copyable('new-key', value, 'Copy key')}
<p>Use it to list your forms:</p>
${copyable('new-command', listForms(value, address), 'Copy command')}
</section>`

const nothingYet = (address: string): Html => html`<section class="card empty" aria-labelledby="empty-heading">
<h2 id="empty-heading">No keys yet</h2>
<p>Create one below, then use it to list your forms:</p>
${copyable('example', listForms('YOUR_KEY', address), 'Copy command')}
</section>`

const listForms = (key: string, address: string): string =>
  `curl -H "Authorization: Bearer ${key}" ${address}/api/v1/forms`

const creationForm = (
  typed: Typed,
  errors: FieldErrors,
  now: number,
): Html => html`<section class="card" aria-labelledby="create-heading">
<h2 id="create-heading">Create a key</h2>
<form method="post" action="/settings/keys">
<div class="row">
${field({
  name: 'name',
  label: 'Name',
  type: 'text',
  value: typed.name,
  error: errors.name,
  hint: 'What the key is for, such as “Website”.',
  autocomplete: 'off',
})}
${field({
  name: 'expires',
  label: 'Expires',
  type: 'date',
  value: typed.expires,
  error: errors.expires,
  hint: 'The last day it is valid, in UTC.',
  autocomplete: 'off',
  min: new Date(now).toISOString().slice(0, 10),
  isOptional: true,
})}
</div>
<fieldset${errors.permission && html` aria-describedby="permission-error"`}>
<legend>Permission</legend>
${choice('full', 'Full', 'Read, create, change and delete', typed)}
${choice('read-only', 'Read-only', 'Read forms and submissions', typed)}
${errors.permission && html`<p class="error" id="permission-error">${errors.permission}</p>`}
</fieldset>
<button class="primary">Create key</button>
</form>
</section>`

const choice = (value: string, name: string, what: string, typed: Typed): Html => html`<label class="choice">
<input type="radio" name="permission" value="${value}"${typed.permission === value && html` checked`}>
<span><strong>${name}</strong> <span class="hint">${what}</span></span>
</label>`

import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { html } from '../html/html.ts'

interface Options {
  readonly email: string
  readonly key: { readonly id: string; readonly name: string; readonly start: string }
}

/** Asks before a key is revoked. */
export const revokePage = ({ email, key }: Options): Response =>
  frame({
    title: 'Revoke a key · Formbox',
    header: header('/settings/keys', email),
    body: html`<div class="card">
<h1>Revoke this key?</h1>
<p class="subject"><bdi>${key.name}</bdi> <code>${key.start}…</code></p>
<p>Whatever uses it is refused from the next request on. This can’t be undone.</p>
<form class="actions" method="post" action="/settings/keys/${key.id}/revoke">
<button class="primary dangerous">Revoke key</button>
<a class="button" href="/settings/keys">Keep it</a>
</form>
</div>`,
  })

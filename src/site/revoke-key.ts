import { html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import type { Key, KeyStore } from '../keys/store.ts'
import type { UserSent, UserVisit } from './page-access.ts'

interface KeyPath {
  readonly keyId: string
}

/** `/settings/keys/:keyId/revoke`: asks before it revokes a key. */
export const revokeKey = (keys: KeyStore) => ({
  show: ({ session, params }: UserVisit<KeyPath>): Response =>
    revokePage(session.email, keys.findKey(session.userId, params.keyId)),

  async revoke({ session, params }: UserSent<KeyPath>): Promise<Response> {
    await keys.revokeKey(session.userId, params.keyId)
    return redirect('/settings/keys?done=revoked#notice')
  },
})

const revokePage = (email: string, { id, name, start }: Key): Response =>
  questionPage({
    email,
    section: '/settings/keys',
    title: 'Revoke this key?',
    subject: html`<p class="subject"><bdi>${name}</bdi> <code>${start}…</code></p>`,
    text: 'Every request with this key will be refused. This can’t be undone.',
    action: `/settings/keys/${id}/revoke`,
    answers: html`<button class="primary dangerous">Revoke key</button>
<a class="button" href="/settings/keys">Keep key</a>`,
  })

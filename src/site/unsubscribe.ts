import type { FormStore } from '../forms/store.ts'
import { frame } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { messagePage } from '../html/message-page.ts'
import { findUnsubscribed } from '../mail/unsubscribe.ts'
import type { Visit } from './page-access.ts'

interface Options {
  readonly forms: Pick<FormStore, 'removeAddress'>
  /** See secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
}

interface LinkParams {
  readonly token: string
}

/** `/unsubscribe/:token`: the reader of a mail about a form wants no more of them. The link is all that it takes. */
export const unsubscribe = ({ forms, signingKey }: Options) => ({
  /** Asks first: programs that look for dangerous links open every link in a mail. */
  async show({ params }: Visit<LinkParams>): Promise<Response> {
    return findUnsubscribed(params.token, await signingKey()) === null ? badLink() : question()
  },

  /** Answers without a redirect, which RFC 8058 forbids, and the second time as the first. */
  async stop({ params }: Visit<LinkParams>): Promise<Response> {
    const receiver = findUnsubscribed(params.token, await signingKey())
    if (receiver === null) return badLink()
    const removed = await forms.removeAddress(receiver)
    return messagePage(200, 'No more mails', [
      removed
        ? html`<bdi>${removed.address}</bdi> gets no more mails about submissions to <bdi>${removed.title}</bdi>.`
        : 'The form was deleted, so there are no more mails about it.',
    ])
  },
})

const badLink = (): Response =>
  messagePage(404, 'This link does not work', ['Copy the whole link from the mail, to the last character.'])

const question = (): Response =>
  frame({
    title: 'Stop mails · Formbox',
    body: html`<div class="card">
<h1>Stop these mails?</h1>
<p>You will get no more mails about submissions to this form. Whoever owns the form can add your address again.</p>
<form class="actions" method="post">
<button class="primary">Stop mails</button>
</form>
</div>`,
  })

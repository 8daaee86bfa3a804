import type { FormStore } from '../forms/store.ts'
import { frame } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { messagePage } from '../html/message-page.ts'
import { everyForm, findUnsubscribed, type Recipient } from '../sending/mail/unsubscribe.ts'
import type { PageAccess } from './page-access.ts'
import type { Visit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly forms: Pick<FormStore, 'removeAddress' | 'stopAddress' | 'allowAddress'>
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
}

interface LinkParams {
  readonly token: string
}

/** `/unsubscribe/:token`: the recipient of a mail about a form wants no more of them. The link is all that it takes. */
export const unsubscribeRoutes = ({ pages: { linkAction, visitorPage }, forms, signingKey }: Options) => {
  /** Responds to the recipient of a mail, who has its link. */
  const forRecipient =
    (toAnswer: (recipient: Recipient, path: string) => Response | Promise<Response>) =>
    async ({ params: { token } }: Visit<LinkParams>): Promise<Response> => {
      const recipient = findUnsubscribed(token, await signingKey())
      return recipient ? toAnswer(recipient, `/unsubscribe/${token}`) : badLink()
    }

  /** For all forms of this server, also those to which someone adds the address later. */
  const stopAll = async ({ address }: Recipient, path: string): Promise<Response> => {
    await forms.stopAddress(address)
    return answer(
      'Emails stopped',
      html`<p><bdi>${address}</bdi> gets no more emails from this server, and no one can add it to a form.</p>
<form method="post" action="${path}/allow"><button>Allow emails again</button></form>`,
    )
  }

  const on = {
    /** Asks first: programs that look for dangerous links open every link in a mail. */
    show: forRecipient(question),

    /** Responds without a redirect, which RFC 8058 forbids, and the second time as the first. */
    stop: forRecipient(async (recipient, path) => {
      const { receiver, address } = recipient
      if (receiver === everyForm) return stopAll(recipient, path)
      const title = await forms.removeAddress(receiver)
      const form = title === undefined ? 'this form' : html`submissions to <bdi>${title}</bdi>`
      return answer(
        'Emails stopped',
        html`<p><bdi>${address}</bdi> gets no more emails about ${form}.</p>
<form method="post" action="${path}/all"><button>Stop all emails</button></form>`,
      )
    }),

    stopAll: forRecipient(stopAll),

    allow: forRecipient(async ({ address }) => {
      await forms.allowAddress(address)
      return answer(
        'Emails are allowed again',
        html`<p>Owners of forms can add <bdi>${address}</bdi> to their notifications again, and forms can send it automatic replies.</p>`,
      )
    }),
  }

  return [
    visitorPage('/unsubscribe/:token', on.show),
    linkAction('/unsubscribe/:token', on.stop),
    linkAction('/unsubscribe/:token/all', on.stopAll),
    linkAction('/unsubscribe/:token/allow', on.allow),
  ]
}

const answer = (title: string, body: Html): Response =>
  frame({
    title,
    body: html`<div class="card message">
<h1>${title}</h1>
${body}
</div>`,
  })

const badLink = (): Response =>
  messagePage(404, 'This link does not work', ['Copy the whole link from the email, to the last character.'])

const question = (recipient: Recipient, path: string): Response =>
  recipient.receiver === everyForm ? questionOfAll(recipient) : questionOfForm(recipient, path)

/** The mail was a reply to someone who had sent a form. */
const questionOfAll = ({ address }: Recipient): Response =>
  frame({
    title: 'Stop all emails · Formbox',
    body: html`<div class="card">
<h1>Stop all emails from this server?</h1>
<p><bdi>${address}</bdi> will get no more emails from any form of this server, and no one can add it to a form.</p>
<form class="actions" method="post">
<button class="primary">Stop all emails</button>
</form>
</div>`,
  })

const questionOfForm = ({ address }: Recipient, path: string): Response =>
  frame({
    title: 'Stop emails · Formbox',
    body: html`<div class="card">
<h1>Stop these emails?</h1>
<p><bdi>${address}</bdi> will get no more emails about submissions to this form. The owner of the form can add the address
again, unless you stop all emails from this server.</p>
<form class="actions" method="post">
<button class="primary">Stop emails</button>
<button formaction="${path}/all">Stop all emails</button>
</form>
</div>`,
  })

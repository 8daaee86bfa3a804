import { accountPath, addressPath, newAddressPath, type ParamsOf } from '../config/addresses.ts'
import { frame, ownPage, tokenPageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { PageOptions } from './page-options.ts'
import type { UserSent, UserVisit } from './visit.ts'

type LinkParams = ParamsOf<typeof newAddressPath.route>

/** `/settings/account/address/:token`: the link that proves an address. Who reads the mail and is signed in may use it. */
export const accountAddressRoutes = ({ pages: { userAction, userPage }, addresses }: PageOptions) => {
  const on = {
    /** Asks first: programs that look for dangerous links open every link in a mail. */
    async show({ session, params: { token } }: UserVisit<LinkParams>): Promise<Response> {
      const address = await addresses.findProved(session.userId, token)
      return address === undefined ? gonePage(session.email) : questionPage(session.email, address, token)
    },

    async prove({ session, params: { token } }: UserSent<LinkParams>): Promise<Response> {
      const done = await addresses.prove(session, token)
      if (done === 'gone') return gonePage(session.email)
      if (done === 'taken') return takenPage(session.email)
      return redirect(`${accountPath()}?done=${done === 'changed' ? 'address' : done}#notice`)
    },
  }

  return [userPage(newAddressPath, on.show), userAction(newAddressPath, newAddressPath, on.prove)]
}

interface Shown {
  readonly email: string
  readonly isOperator: boolean
  readonly isProved: boolean
  readonly hasPassword: boolean
  readonly mayChange: boolean
  readonly newAddress?: string
  readonly errors: InputErrors
  /** The name of the provider. */
  readonly provider: string | null
}

/** The address of an account, and how it is changed. */
export const addressSection = (shown: Shown): Html => html`<section class="card" aria-labelledby="email-heading">
<h2 id="email-heading">Email address</h2>
<p><bdi>${shown.email}</bdi>${shown.isOperator && html` <span class="chip is-good">Operator of this server</span>`}${!shown.isProved && html` <span class="chip is-warn">Not proved</span>`}</p>
${shown.mayChange ? changing(shown) : shown.isProved ? html`<p class="hint">The person who runs this server can change it.</p>` : neverProved(shown.provider)}
</section>
`

const changing = ({ email, isProved, hasPassword, newAddress, errors }: Shown): Html => html`${
  !isProved &&
  html`<p>You have not proved that this address is yours. Until then, each form that someone shares with you comes with an invitation,
and you cannot be handed one.</p>
`
}<form class="inputs" method="post" action="${addressPath()}">
<input class="visually-hidden" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
<div class="pair">
${labelledInput({
  name: 'address',
  label: isProved ? 'New address' : 'Your address',
  type: 'email',
  value: newAddress ?? (isProved ? '' : email),
  error: errors.address,
  autocomplete: 'email',
})}
${
  hasPassword &&
  labelledInput({
    name: 'current',
    id: 'address-password',
    label: 'Current password',
    type: 'password',
    error: errors.addressPassword,
    autocomplete: 'current-password',
  })
}
</div>
<div class="actions"><button>Email a link</button></div>
<p class="hint">It is yours once you have opened the link. Other browsers are then signed out. API keys keep working, and forms go on
sending to the addresses in their settings.</p>
</form>`

/** Anyone may have made the account, and know its password. */
const neverProved = (provider: string | null): Html =>
  html`<p>You have not proved that this address is yours. Until then, each form that someone shares with you comes with an invitation, and you
cannot be handed one. ${provider ? `To prove it, connect your account with ${provider}.` : 'The person who runs this server can prove it with a new password.'} You
then get a new account with this address: your forms stay, but API keys and access to the forms of others end.</p>`

const questionPage = (email: string, address: string, token: string): Response =>
  linkPage(email, 200, {
    title: 'Confirm your address',
    body: html`<p>${address === email ? html`Your address is <bdi>${address}</bdi>.` : html`From now on, you sign in as <bdi>${address}</bdi>, and no longer as <bdi>${email}</bdi>. All other browsers are signed out.`}</p>
<form class="actions" method="post" action="${newAddressPath(token)}"><button class="primary">${address === email ? 'Confirm it' : 'Use this address'}</button></form>`,
  })

const gonePage = (email: string): Response =>
  linkPage(email, 404, {
    title: 'This link is not valid',
    body: html`<p>Such a link works for 24 hours, once, and only in the account that asked for it. You are signed in as <bdi>${email}</bdi>.</p>
<p><a class="button" href="${accountPath()}">Your account</a></p>`,
  })

const takenPage = (email: string): Response =>
  linkPage(email, 400, {
    title: 'Another account has this address',
    body: html`<p>Your account stays as it is. Sign in to the other one, or ask the person who runs this server to change its address.</p>
<p><a class="button" href="${accountPath()}">Your account</a></p>`,
  })

const linkPage = (email: string, status: number, { title, body }: { readonly title: string; readonly body: Html }) =>
  frame({
    ...ownPage(title, accountPath, email, status),
    headers: tokenPageHeaders,
    body: html`<div class="head"><h1>${title}</h1></div>
<section class="card">
${body}
</section>`,
  })

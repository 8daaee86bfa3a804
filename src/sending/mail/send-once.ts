import type { AddressMail } from '../../accounts/members/address-store.ts'
import type { InvitationMail } from '../../accounts/members/store.ts'
import { invitePath, newAddressPath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import { openMailer } from './mailer.ts'
import { formerAddressMail, invitationMail, proofMail, testMail } from './messages.ts'
import type { Mail } from './parcel.ts'
import { everyForm, unsubscribeLink } from './unsubscribe.ts'

interface Options {
  readonly mail: MailConfig
  readonly publicUrl: string
  /** The key of `openSigningKey`. */
  readonly key: Uint8Array
}

/** Someone waits for it. */
const patienceMilliseconds = 10_000

/** Sends the link of an invitation, once: it is stored nowhere. Resolves to whether a mail server has taken it. */
export const sendInvitation = ({ mail, publicUrl, key }: Options, invitation: InvitationMail): Promise<boolean> => {
  const { id, to, token } = invitation
  const link = `${publicUrl}${invitePath(token)}`
  const stop = unsubscribeLink(publicUrl, key, { receiver: id, address: to })
  return sendOnce(mail, invitationMail({ ...invitation, link, stop }))
}

/** Sends a mail about the address of an account, as above. */
export const sendAddressMail = (
  { mail, publicUrl, key }: Options,
  { token, ...about }: AddressMail,
): Promise<boolean> => {
  const stop = unsubscribeLink(publicUrl, key, { receiver: everyForm, address: about.to })
  const made = { ...about, publicUrl, stop }
  if (token === undefined) return sendOnce(mail, formerAddressMail(made))
  return sendOnce(mail, proofMail({ ...made, link: `${publicUrl}${newAddressPath(token)}` }))
}

/** Sends a test to an operator, who waits for what the mail server says. */
export const sendTest = (mail: MailConfig, test: Omit<Parameters<typeof testMail>[0], 'publicUrl'>) =>
  send(mail, testMail({ ...test, publicUrl: mail.publicUrl }), 2 * patienceMilliseconds)

const sendOnce = async (config: MailConfig, mail: Mail): Promise<boolean> =>
  (await send(config, mail, patienceMilliseconds)).result === 'delivered'

const send = (config: MailConfig, mail: Mail, patience: number) => {
  const mailer = openMailer(config)
  return mailer.send(mail, AbortSignal.timeout(patience)).finally(mailer.close)
}

import type { InvitationMail } from '../../accounts/members/store.ts'
import { invitePath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import { openMailer } from './mailer.ts'
import { invitationMail } from './messages.ts'
import { unsubscribeLink } from './unsubscribe.ts'

interface Options {
  readonly mail: MailConfig
  readonly publicUrl: string
  /** The key of `openSigningKey`. */
  readonly key: Uint8Array
}

/** The inviter waits for it, and gets the link if it fails. */
const patienceMilliseconds = 10_000

/** Sends the link of an invitation, once: it is stored nowhere. Resolves to whether a mail server has taken it. */
export const sendInvitation = async (
  { mail, publicUrl, key }: Options,
  invitation: InvitationMail,
): Promise<boolean> => {
  const { id, to, token } = invitation
  const mailer = openMailer(mail)
  try {
    const link = `${publicUrl}${invitePath(token)}`
    const stop = unsubscribeLink(publicUrl, key, { receiver: id, address: to })
    const { result } = await mailer.send(
      invitationMail({ ...invitation, link, stop }),
      AbortSignal.timeout(patienceMilliseconds),
    )
    return result === 'delivered'
  } finally {
    mailer.close()
  }
}

import { maySend, type Sender } from '../../config/sender.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type Mailer, openMailer } from './mailer.ts'

/** Why the mail of a form has to wait: in a sentence without a full stop. */
interface Waits {
  readonly waits: string
  /** Whether that is so for this form alone. */
  readonly isOfForm: boolean
}

interface SendingForm {
  readonly settings: string | null
  readonly ownerEmail: string | null
}

/** By whom the mail of a form leaves: null for the usual sender. Deliveries and tests ask it each time. */
export const senderOf = (
  senders: readonly Sender[],
  { settings, ownerEmail }: SendingForm,
): { readonly sender: Sender | null } | Waits => {
  const { sender: name } = parseSettings(settings)
  if (name === null) return { sender: null }
  const sender = senders.find((one) => one.name === name)
  if (!sender) return { waits: `The sender “${name}” is not set up on this server`, isOfForm: false }
  if (!maySend(sender, ownerEmail))
    return { waits: `The owner of the form may not use the sender “${name}”`, isOfForm: true }
  return { sender }
}

/** What is wrong is in the file with the senders, not in the settings of the server. */
export const openSenderMailer = ({ name, mail, hasOwnUrl }: Sender): Mailer => {
  const mailer = openMailer(mail)
  return {
    ...mailer,
    async send(letter, signal) {
      const { error, operatorError, ...sent } = await mailer.send(letter, signal)
      const places = hasOwnUrl ? /FORMBOX_MAIL_\w+/g : /FORMBOX_MAIL_FROM/g
      return {
        ...sent,
        error:
          error
            ?.replaceAll('the sender in FORMBOX_MAIL_FROM', `the address of the sender “${name}”`)
            .replaceAll(places, `the settings of the sender “${name}”`) ?? null,
        operatorError:
          operatorError?.replaceAll(places, (variable) => `${name}.${keys[variable]} in FORMBOX_SENDERS_FILE`) ?? null,
      }
    },
  }
}

const keys: Readonly<Record<string, string>> = {
  FORMBOX_MAIL_FROM: 'from',
  FORMBOX_MAIL_URL: 'url',
  FORMBOX_MAIL_OAUTH_CLIENT_ID: 'oauth.clientId',
  FORMBOX_MAIL_OAUTH_CLIENT_SECRET: 'oauth.clientSecret',
  FORMBOX_MAIL_OAUTH_TOKEN_URL: 'oauth.tokenUrl',
  FORMBOX_MAIL_OAUTH_SCOPE: 'oauth.scope',
}

import type { Config } from '../../config/config.ts'
import { maySend } from '../../config/sender.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type Mailer, openMailer } from '../../sending/mail/mailer.ts'
import type { Attempted } from './send-deliveries.ts'

/** What mail leaves by; or why it has to wait. */
type ChosenMailer = { readonly mailer: Mailer } | { readonly waits: Attempted }

export type ChooseMailer = (form: {
  readonly settings: string | null
  readonly ownerEmail: string | null
}) => ChosenMailer

/**
 * A mailer for each sender, opened with its first mail. It closes its connections when they are idle. Null if this server
 * sends no mail.
 */
export const openMailers = ({ mail, senders }: Pick<Config, 'mail' | 'senders'>) => {
  if (!mail) return null
  const usual = openMailer(mail)
  const others = new Map<string, Mailer>()

  const choose: ChooseMailer = ({ settings, ownerEmail }) => {
    const { sender: name } = parseSettings(settings)
    if (name === null) return { mailer: usual }
    const sender = senders.find((one) => one.name === name)
    if (!sender) return { waits: waiting(`The sender “${name}” is not set up on this server`) }
    if (!maySend(sender, ownerEmail))
      return { waits: { ...waiting(`The owner of the form may not use the sender “${name}”`), isOfForm: true } }
    const mailer = others.get(name) ?? named(openMailer(sender.mail), name)
    others.set(name, mailer)
    return { mailer }
  }

  const close = (): void => {
    for (const mailer of [usual, ...others.values()]) mailer.close()
  }
  return { choose, close }
}

/** As with wrong settings: it does not count as an attempt. */
const waiting = (error: string): Attempted => ({ result: 'later', status: null, error, answer: '', isOurFault: true })

/** What is wrong is in the file with the senders, not in the settings of the server. */
const named = (mailer: Mailer, name: string): Mailer => {
  const rename = (error: string | null): string | null =>
    error
      ?.replaceAll('the sender in FORMBOX_MAIL_FROM', `the address of the sender “${name}”`)
      .replaceAll(/FORMBOX_MAIL_\w+/g, `the settings of the sender “${name}”`) ?? null
  return {
    ...mailer,
    async send(mail, signal) {
      const sent = await mailer.send(mail, signal)
      return { ...sent, error: rename(sent.error), operatorError: rename(sent.operatorError) }
    },
  }
}

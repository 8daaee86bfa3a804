import type { Config } from '../../config/config.ts'
import { openSenderMailer, senderOf } from '../../sending/mail/chosen-sender.ts'
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

  const choose: ChooseMailer = (form) => {
    const chosen = senderOf(senders, form)
    if ('waits' in chosen) return { waits: waiting(chosen.waits, chosen.isOfForm) }
    const { sender } = chosen
    if (!sender) return { mailer: usual }
    const mailer = others.get(sender.name) ?? openSenderMailer(sender)
    others.set(sender.name, mailer)
    return { mailer }
  }

  const close = (): void => {
    for (const mailer of [usual, ...others.values()]) mailer.close()
  }
  return { choose, close }
}

/** As with wrong settings: it does not count as an attempt. */
const waiting = (error: string, isOfForm: boolean): Attempted => ({
  ...{ result: 'later', status: null, error, answer: '', isOurFault: true },
  isOfForm,
})

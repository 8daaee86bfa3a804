import { newId } from '../../base/id.ts'
import { visitorSettingsPath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Sender } from '../../config/sender.ts'
import type { AnsweredForm, ReplyTransport } from '../../submissions/replies/mail-previews.ts'
import { openSenderMailer, senderOf } from './chosen-sender.ts'
import { openMailer } from './mailer.ts'
import { mailToVisitor } from './reply.ts'

interface Options {
  readonly mail: MailConfig
  readonly senders: readonly Sender[]
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
}

/** Makes a mail to visitors for the people who write it, and sends it to them. */
export const openReplyTransport = ({ mail: config, senders, signingKey, now }: Options): ReplyTransport => {
  const toMail = (answered: AnsweredForm, to: string, key: Uint8Array | null) => {
    const { written, ...about } = answered
    // It confirms nothing.
    const link = `${config.publicUrl}${visitorSettingsPath(about.form.id)}`
    const asking = 'reply' in written ? written : { reply: written.confirm, link }
    return mailToVisitor(config, { ...about, ...asking, id: newId(now()), to, key })
  }

  return {
    async make(answered) {
      const { subject, text } = await toMail(answered, '', null)
      const chosen = senderOf(senders, answered.form)
      return { subject, text, waits: 'waits' in chosen ? chosen.waits : null }
    },

    async send(answered, to) {
      const mail = await toMail(answered, to, await signingKey())
      const { subject, text } = mail
      const chosen = senderOf(senders, answered.form)
      if ('waits' in chosen)
        return { to, subject, text, status: null, error: chosen.waits, answer: '', milliseconds: 0 }
      const mailer = chosen.sender ? openSenderMailer(chosen.sender) : openMailer(config)
      const { status, error, answer, milliseconds } = await mailer.send(mail)
      mailer.close()
      return { to, subject, text, status, error, answer, milliseconds }
    },
  }
}

import { newId } from '../../base/id.ts'
import { unsubscribePath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Sender } from '../../config/sender.ts'
import { addressOf } from '../../forms/settings/notify-entries.ts'
import { loadTexts } from '../../languages/languages.ts'
import type { AnsweredForm, ReplyTransport } from '../../submissions/replies/mail-previews.ts'
import { openSenderMailer, senderOf } from './chosen-sender.ts'
import { openMailer } from './mailer.ts'
import { replyMail, sitesOf } from './reply.ts'
import { everyForm, unsubscribeLink } from './unsubscribe.ts'

interface Options {
  readonly mail: MailConfig
  readonly senders: readonly Sender[]
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
}

/** Makes a mail to visitors for the people who write it, and sends it to them. */
export const openReplyTransport = ({ mail: config, senders, signingKey, now }: Options): ReplyTransport => {
  const { publicUrl } = config

  const toMail = async (answered: AnsweredForm, to: string, stop: string) => {
    const { notify, allowedOrigins, language, written, settingsPath, ...rest } = answered
    return replyMail({
      ...rest,
      ...('reply' in written ? written : { reply: written.confirm, link: `${publicUrl}${settingsPath}` }),
      id: newId(now()),
      to,
      replyTo: notify[0] === undefined ? null : addressOf(notify[0]),
      sites: sitesOf(allowedOrigins, publicUrl),
      texts: await loadTexts(language),
      stop,
    })
  }

  return {
    /** The link that stops mails is the visitor's alone. */
    async make(answered) {
      const { subject, text } = await toMail(answered, '', `${publicUrl}${unsubscribePath('')}…`)
      const chosen = senderOf(senders, answered)
      return { subject, text, waits: 'waits' in chosen ? chosen.waits : null }
    },

    async send(answered, to) {
      const stop = unsubscribeLink(
        publicUrl,
        await signingKey(),
        { receiver: everyForm, address: to },
        answered.language,
      )
      const mail = await toMail(answered, to, stop)
      const { subject, text } = mail
      const chosen = senderOf(senders, answered)
      if ('waits' in chosen)
        return { to, subject, text, status: null, error: chosen.waits, answer: '', milliseconds: 0 }
      const mailer = chosen.sender ? openSenderMailer(chosen.sender) : openMailer(config)
      const { status, error, answer, milliseconds } = await mailer.send(mail)
      mailer.close()
      return { to, subject, text, status, error, answer, milliseconds }
    },
  }
}

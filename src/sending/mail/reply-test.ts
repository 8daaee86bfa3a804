import { type AppError, invalid } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { unsubscribePath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Sender } from '../../config/sender.ts'
import { addressOf } from '../../forms/settings/notify-entries.ts'
import { loadTexts } from '../../languages/languages.ts'
import type { AnsweredForm, ReplyTransport } from '../../submissions/replies/store.ts'
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

/** Makes a reply for the people who write it, and sends it to them. */
export const openReplyTransport = ({ mail: config, senders, signingKey, now }: Options): ReplyTransport => {
  const { publicUrl } = config

  const toMail = async (
    { notify, allowedOrigins, language, sender: _, ...answered }: AnsweredForm,
    to: string,
    stop: string,
  ) =>
    replyMail({
      ...answered,
      id: newId(now()),
      to,
      replyTo: notify[0] === undefined ? null : addressOf(notify[0]),
      sites: sitesOf(allowedOrigins, publicUrl),
      texts: await loadTexts(language),
      stop,
    })

  return {
    /** The link that stops mails is the visitor's alone. */
    async make(answered) {
      const { subject, text } = await toMail(answered, '', `${publicUrl}${unsubscribePath('')}…`)
      return { subject, text }
    },

    async send(answered, to) {
      const stop = unsubscribeLink(
        publicUrl,
        await signingKey(),
        { receiver: everyForm, address: to },
        answered.language,
      )
      const mail = await toMail(answered, to, stop)
      const chosen = senders.find(({ name }) => name === answered.sender)
      if (answered.sender !== null && !chosen) throw unknownSender(answered.sender)
      const mailer = openMailer(chosen?.mail ?? config)
      const { status, error, answer, milliseconds } = await mailer.send(mail)
      mailer.close()
      return { to, subject: mail.subject, text: mail.text, status, error, answer, milliseconds }
    },
  }
}

const unknownSender = (name: string): AppError =>
  invalid({ field: 'sender', message: `is not set up on this server: ${name}` })

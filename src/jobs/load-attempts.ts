import type { Config } from '../config/config.ts'
import type { Reader } from '../db/reader.ts'
import type { Writer } from '../db/writer/writer.ts'
import { openMailer } from '../mail/mailer.ts'
import { openPoster } from '../outgoing/post.ts'
import type { SecretWrites } from '../secrets/secret-writes.ts'
import { openSigningKey } from '../secrets/signing-key.ts'
import { deliveryAttempts } from './attempt-delivery.ts'
import { mailAttempts } from './attempt-mail.ts'

interface Options {
  readonly config: Pick<Config, 'mail' | 'publicUrl' | 'webhookAllowed'>
  readonly reader: Reader
  readonly writer: Pick<Writer<SecretWrites>, 'run'>
  readonly now: () => number
}

/** Everything that makes and sends messages. It is loaded with the first delivery, see `lazyAttempts`. */
export const loadAttempts = ({ config, reader, writer, now }: Options) => {
  const { mail, publicUrl, webhookAllowed } = config
  const mailer = mail && openMailer(mail)
  const sendMail =
    mail && mailer && mailAttempts({ config: mail, mailer, signingKey: openSigningKey({ reader, writer }) })
  const post = openPoster({ allowed: webhookAllowed, now })
  return { attempt: deliveryAttempts({ reader, post, sendMail, publicUrl, now }), close: () => mailer?.close() }
}

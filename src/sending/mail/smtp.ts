import type { SendMailOptions, SentMessageInfo, Transporter } from 'nodemailer'
import { lazily } from '../../base/lazily.ts'
import { isUnsent, toSent } from './failure.ts'
import { bytesOf, type Parcel, toMessage } from './parcel.ts'
import { type SmtpOptions, toConnections } from './smtp-options.ts'
import type { OpenWay } from './way.ts'

/**
 * Opens connections when the first mail is sent, as many as mails are under way (see turns.ts), and closes those that are idle.
 * Mails with attachments have one of their own: they may take long, and no other mail waits for them.
 */
export const openSmtp = async (options: SmtpOptions): Promise<OpenWay> => {
  // Loads the library, which a server that sends no mail does not need: its parts, since the whole has five more transports.
  const [{ default: Mailer }, { default: Pool }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/smtp-pool'),
  ])
  const opening = (maxConnections: number) =>
    lazily(async () => {
      const connections = toConnections(options, maxConnections)
      return withHandOver(new Mailer(new Pool(connections), connections) as unknown as Transporter)
    })
  const openBoth = () => ({ usual: opening(2), withAttachments: opening(1) })
  let both = openBoth()

  /** @param force whether mails under way fail */
  const end = (force: boolean): void => {
    for (const transport of Object.values(both))
      transport
        .loaded()
        ?.then((open) => open.close({ force }))
        .catch(() => {})
  }

  return {
    async send(parcel, signal) {
      const transport = await (parcel.attachments.length > 0 ? both.withAttachments() : both.usual())
      const { response = '' } = await sendOnOpen(transport, () => ({ ...toMessage(parcel), ...sizeOf(parcel), signal }))
      return toSent(Number(response.slice(0, 3)) || null, response, options)
    },
    rest() {
      end(false)
      both = openBoth()
    },
    close: () => end(true),
  }
}

/** A server that says how much it takes refuses more than that before it is sent. */
const sizeOf = (parcel: Parcel) =>
  parcel.attachments.length > 0
    ? { envelope: { from: parcel.from.address, to: parcel.to, size: bytesOf(parcel) } }
    : undefined

/** A server that ends each connection after a mail costs one try for each that was open, or opened meanwhile. */
const maxTries = 4

/**
 * Tries again at once, on another connection, if the server had ended one that was kept open: with 421 (RFC 5321 section
 * 4.2.2), which some send after each mail, or without a word. Nothing of the mail was sent on it.
 */
const sendOnOpen = async (
  transport: Transporter,
  toOptions: () => SendMailOptions,
  triesLeft = maxTries,
): Promise<SentMessageInfo> => {
  let isHandedOver = false
  try {
    const message: SendMailOptions & Handed = { ...toOptions(), [handOver]: () => (isHandedOver = true) }
    return (await transport.sendMail(message)) as SentMessageInfo
  } catch (error) {
    if (triesLeft > 1 && isHandedOver && isUnsent(error)) return await sendOnOpen(transport, toOptions, triesLeft - 1)
    throw error
  }
}

/** Marks that a mail is read, which happens on a connection that has greeted. */
const withHandOver = (transport: Transporter): Transporter => {
  transport.use('stream', ({ data, message }, done) => {
    message.processFunc((input) => {
      ;(data as Handed)[handOver]?.()
      return input
    })
    done()
  })
  return transport
}

const handOver = 'formboxHandsOver'
type Handed = { readonly [handOver]?: () => void }

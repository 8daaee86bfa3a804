import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { SendMailOptions, SentMessageInfo, Transporter } from 'nodemailer'
import { lazily } from '../../base/lazily.ts'
import type { MailOauth } from '../../config/mail-oauth.ts'
import { isLoopback } from '../../config/networks.ts'
import type { SmtpServer } from '../../config/smtp-url.ts'
import { isUnsent, toSent } from './failure.ts'
import { bytesOf, type Parcel, toMessage } from './parcel.ts'
import { openSocket } from './smtp-socket.ts'
import { tokensOf } from './tokens.ts'
import type { OpenWay, WayOptions } from './way.ts'

interface Options extends WayOptions {
  readonly server: SmtpServer
  readonly oauth: MailOauth | null
  readonly publicUrl: string
}

/**
 * Opens connections when the first mail is sent, at most two, and closes those that are idle. Mails with attachments have
 * one of their own, one after the other: they may take long, and no other mail waits for them.
 */
export const openSmtp = async (options: Options): Promise<OpenWay> => {
  // Loads the library, which a server that sends no mail does not need.
  const { createTransport } = await import('nodemailer')
  const opening = (maxConnections: number) =>
    lazily(async () => withHandOver(createTransport(toOptions(options, maxConnections)) as unknown as Transporter))
  const usual = opening(2)
  const withAttachments = opening(1)

  return {
    async send(parcel, signal) {
      const transport = await (parcel.attachments.length > 0 ? withAttachments() : usual())
      const { response = '' } = await sendOnOpen(transport, () => ({ ...toMessage(parcel), ...sizeOf(parcel), signal }))
      return toSent(Number(response.slice(0, 3)) || null, response, options)
    },
    close() {
      for (const transport of [usual, withAttachments])
        transport
          .loaded()
          ?.then((open) => open.close({ force: true }))
          .catch(() => {})
    },
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

const toOptions = ({ server, oauth, publicUrl, patience, resolver }: Options, maxConnections: number) => ({
  host: server.host,
  port: server.port,
  // The library would choose the name of the machine, or a loopback address in a container, which relays refuse.
  name: toEhloName(publicUrl),
  getSocket: (_options: unknown, callback: (error: Error | null, found?: { connection: Socket }) => void) => {
    openSocket(server, resolver, patience.connect).then(
      (connection) => callback(null, { connection }),
      (error: Error) => callback(error),
    )
  },
  secure: server.isTls,
  ignoreTLS: server.isPlain,
  // Without it, a password goes out in clear text if the server, or someone between, offers no encryption.
  requireTLS: !server.isTls && !server.isPlain && (!isLoopback(server.host) || server.tlsName !== null),
  tls: {
    minVersion: 'TLSv1.2' as const,
    // A mail server on this machine has a certificate for another name, if any.
    rejectUnauthorized: !isLoopback(server.host) || server.tlsName !== null,
    ...(server.tlsName !== null && toIdentity(server.tlsName)),
  },
  ...(server.credentials && { auth: toAuth(server.credentials, oauth), forceAuth: true }),
  pool: true as const,
  maxConnections,
  // The caller decides when to try again. After a broken connection, a mail may have arrived.
  maxRequeues: 0,
  connectionTimeout: patience.connect + patience.greeting,
  greetingTimeout: patience.greeting,
  socketTimeout: patience.answer,
  idleTimeout: 10_000,
  // More than any response needs that we read.
  maxResponseSize: 64 * 1024,
})

/** An address is not sent in the greeting of TLS (RFC 6066 section 3), and compared all the same. */
const toIdentity = (name: string) => ({
  ...(isIP(name) === 0 && { servername: name }),
  checkServerIdentity: (_host: string, certificate: PeerCertificate) => checkServerIdentity(name, certificate),
})

const toAuth = ({ user, password }: { user: string; password: string }, oauth: MailOauth | null) => {
  if (!oauth) return { user, pass: password }
  const provisionCallback = (
    _user: string,
    isRenewed: boolean,
    callback: (error: Error | null, token?: string, expires?: number) => void,
  ): void => {
    const tokens = tokensOf(oauth)
    if (isRenewed) tokens.refuse()
    // It is kept there alone: the library is to ask each time.
    tokens.get().then((token) => callback(null, token, 1), callback)
  }
  return { type: 'OAuth2' as const, user, provisionCallback }
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

/** RFC 5321 section 4.1.1.1: a name, or an address in brackets. */
const toEhloName = (publicUrl: string): string => {
  const host = new URL(publicUrl).hostname
  if (host.startsWith('[')) return `[IPv6:${host.slice(1)}`
  return isIP(host) === 0 ? host : `[${host}]`
}

import { isIP, type Socket } from 'node:net'
import type { SendMailOptions, SentMessageInfo, Transporter } from 'nodemailer'
import { encodedWords } from '../../base/encoded-words.ts'
import { lazily } from '../../base/lazily.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import type { MailConfig, SmtpServer } from '../../config/mail.ts'
import { isLoopback } from '../../config/networks.ts'
import { usualResolver } from '../../remote/checked-lookup.ts'
import { refuseOffline } from '../../remote/offline.ts'
import type { Resolver } from '../../remote/resolver.ts'
import { type Attachment, bytesInMail, toNodemailer } from './attachments.ts'
import { isUnsent, type Outcome, toAnswer, toFailure } from './failure.ts'
import { openSocket } from './smtp-socket.ts'

/** A mail to one recipient. */
export interface Mail {
  readonly to: string
  /** The name beside our address; absent or empty for the operator's. */
  readonly fromName?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The address for replies; null for the sender. */
  readonly replyTo: string | null
  /**
   * An identifier that is the same for each attempt, so that a mail that arrives twice is recognised: letters, digits
   * and `.` or `-`.
   */
  readonly messageId: string
  /** Beside those that every mail has. ASCII. */
  readonly headers: Readonly<Record<string, string>>
  readonly attachments?: readonly Attachment[]
}

/** How an attempt to send a mail ended. */
interface Sent extends Outcome {
  readonly milliseconds: number
}

export interface Mailer {
  /** Never throws. @param signal ends the attempt early */
  send(mail: Mail, signal?: AbortSignal): Promise<Sent>
  /** Ends all connections. Mails under way fail. */
  close(): void
}

/**
 * Opens connections when the first mail is sent, at most two, and closes those that are idle. Mails with attachments have
 * one of their own, one after the other: they may take long, and no other mail waits for them.
 */
export const openMailer = (
  { server, from, publicUrl }: MailConfig,
  patience: Patience = usualPatience,
  resolver: Resolver = usualResolver,
): Mailer => {
  const opening = (maxConnections: number) =>
    lazily(() => connect({ server, publicUrl, patience, resolver, maxConnections }))
  const usual = opening(2)
  const withAttachments = opening(1)
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)

  const attempt = async (mail: Mail, signals: readonly AbortSignal[]): Promise<Outcome> => {
    const to = toMailAddress(mail.to)
    if (!to) return { ...nothing, result: 'refused', error: noAddress, operatorError: noAddress }
    const replyTo = mail.replyTo === null ? null : toMailAddress(mail.replyTo)
    try {
      refuseOffline()
      const transport = await (mail.attachments ? withAttachments() : usual())
      const addresses = { from: { ...from, name: mail.fromName || from.name }, to: { name: '', address: to } }
      const signal = AbortSignal.any([AbortSignal.timeout(patience.mail), ...signals])
      // Made anew for each try, because it opens files.
      const toMessage = () => ({
        ...addresses,
        // A server that says how much it takes refuses more than that before it is sent.
        ...(mail.attachments && { envelope: { ...addresses, size: bytesOf(mail) } }),
        attachments: mail.attachments?.map(toNodemailer) ?? [],
        // An object, because a text would be read as a list of addresses.
        ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
        text: mail.text,
        html: mail.html,
        messageId: `<${mail.messageId}@${domain}>`,
        headers: [
          // The library would send an encoded word in it as it is.
          { key: 'Subject', value: { prepared: true, foldLines: true, value: encodedWords(mail.subject) } },
          ...toHeaders({ 'Auto-Submitted': 'auto-generated', ...mail.headers }),
        ],
        disableFileAccess: true,
        disableUrlAccess: true,
        signal,
      })
      const { response = '' } = await sendOnOpen(transport, toMessage)
      return {
        ...nothing,
        result: 'delivered',
        status: Number(response.slice(0, 3)) || null,
        answer: toAnswer(response, server),
      }
    } catch (error) {
      return toFailure(error, server)
    }
  }

  return {
    async send(mail, signal) {
      const start = performance.now()
      const outcome = await attempt(mail, signal ? [signal] : [])
      return { ...outcome, milliseconds: Math.round(performance.now() - start) }
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

/** A server that ends each connection after a mail costs one try for each that was open, or opened meanwhile. */
const maxTries = 4

/**
 * Tries again at once, on another connection, if the server had ended one that was kept open: with 421 (RFC 5321 section
 * 4.2.2), which some send after each mail, or without a word. Nothing of the mail was sent on it.
 */
const sendOnOpen = async (
  transport: Transporter,
  toMessage: () => SendMailOptions,
  triesLeft = maxTries,
): Promise<SentMessageInfo> => {
  let isHandedOver = false
  try {
    const message: SendMailOptions & Handed = { ...toMessage(), [handOver]: () => (isHandedOver = true) }
    return (await transport.sendMail(message)) as SentMessageInfo
  } catch (error) {
    if (triesLeft > 1 && isHandedOver && isUnsent(error)) return await sendOnOpen(transport, toMessage, triesLeft - 1)
    throw error
  }
}

const bytesOf = ({ text, html, attachments = [] }: Mail): number =>
  Buffer.byteLength(text) + Buffer.byteLength(html) + bytesInMail(attachments)

/** Writes each in one line: the library would begin a long address in a new line. */
const toHeaders = (headers: Mail['headers']) =>
  Object.entries(headers).map(([key, value]) => ({
    key,
    value: { prepared: true, value: value.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 900) },
  }))

const nothing = { status: null, error: null, operatorError: null, answer: '', isOurFault: false } as const
const noAddress = 'Email cannot be sent to this address'

/** The longest times, in milliseconds. */
interface Patience {
  /** To look up the name of the server, and to connect. */
  readonly connect: number
  /** Until the server greets, and for TLS. Some let a client wait, to see whether it is a program that sends spam. */
  readonly greeting: number
  /** The time until each response. Some servers look into the mail before the last one. */
  readonly answer: number
  /** Limit for one mail in all, also if each response arrives just in time. */
  readonly mail: number
}

const usualPatience: Patience = { connect: 15_000, greeting: 30_000, answer: 30_000, mail: 40_000 }

interface Options {
  readonly server: SmtpServer
  readonly publicUrl: string
  readonly patience: Patience
  readonly resolver: Resolver
  readonly maxConnections: number
}

/** Loads the library, which a server that sends no mail does not need. */
const connect = async ({ server, publicUrl, patience, resolver, maxConnections }: Options): Promise<Transporter> => {
  const { createTransport } = await import('nodemailer')
  const { host, port, isTls, credentials } = server
  const isNear = isLoopback(host)
  const transport = createTransport({
    host,
    port,
    // The library would choose the name of the machine, or a loopback address in a container, which relays refuse.
    name: toEhloName(publicUrl),
    getSocket: (_options: unknown, callback: (error: Error | null, found?: { connection: Socket }) => void) => {
      openSocket(server, resolver, patience.connect).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error),
      )
    },
    secure: isTls,
    // Without it, a password goes out in clear text if the server, or someone between, offers no encryption.
    requireTLS: !isTls && !isNear,
    // A mail server on this machine has a certificate for another name, if any.
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: !isNear },
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
    pool: true,
    maxConnections,
    // The caller decides when to try again. After a broken connection, a mail may have arrived.
    maxRequeues: 0,
    connectionTimeout: patience.connect + patience.greeting,
    greetingTimeout: patience.greeting,
    socketTimeout: patience.answer,
    idleTimeout: 10_000,
    // More than any response needs that we read.
    maxResponseSize: 64 * 1024,
  }) as unknown as Transporter
  // A mail is read only on a connection that has greeted.
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

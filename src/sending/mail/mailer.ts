import type { Transporter } from 'nodemailer'
import { encodedWords } from '../../base/encoded-words.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import type { MailConfig, SmtpServer } from '../../config/mail.ts'
import { isLoopback } from '../../config/networks.ts'
import { refuseOffline } from '../../remote/offline.ts'
import { type Attachment, bytesInMail, toNodemailer } from './attachments.ts'
import { type Outcome, toAnswer, toFailure } from './failure.ts'

/** A mail to one recipient. */
export interface Mail {
  readonly to: string
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
  { server, from }: Pick<MailConfig, 'server' | 'from'>,
  patience: Patience = usualPatience,
): Mailer => {
  let usual: Promise<Transporter> | undefined
  let withAttachments: Promise<Transporter> | undefined
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)

  const attempt = async (mail: Mail, signals: readonly AbortSignal[]): Promise<Outcome> => {
    const to = toMailAddress(mail.to)
    if (!to) return { ...nothing, result: 'refused', error: noAddress, operatorError: noAddress }
    const replyTo = mail.replyTo === null ? null : toMailAddress(mail.replyTo)
    try {
      refuseOffline()
      if (mail.attachments) withAttachments ??= connect(server, patience, 1)
      else usual ??= connect(server, patience, 2)
      const transport = (mail.attachments ? withAttachments : usual) as Promise<Transporter>
      const addresses = { from: { ...from }, to: { name: '', address: to } }
      const { response = '' } = await (await transport).sendMail({
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
        signal: AbortSignal.any([AbortSignal.timeout(patience.mail), ...signals]),
      })
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
        transport?.then((open) => open.close({ force: true })).catch(() => {})
    },
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
  /** Until the server greets: to look up its name, to connect and for TLS. */
  readonly greeting: number
  /** The time until each response. Some servers look into the mail before the last one. */
  readonly answer: number
  /** Limit for one mail in all, also if each response arrives just in time. */
  readonly mail: number
}

const usualPatience: Patience = { greeting: 15_000, answer: 30_000, mail: 40_000 }

/** Loads the library, which a server that sends no mail does not need. */
const connect = async (
  { host, port, isTls, credentials }: SmtpServer,
  patience: Patience,
  maxConnections: number,
): Promise<Transporter> => {
  const { createTransport } = await import('nodemailer')
  const isNear = isLoopback(host)
  return createTransport({
    host,
    port,
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
    dnsTimeout: patience.greeting,
    connectionTimeout: patience.greeting,
    greetingTimeout: patience.greeting,
    socketTimeout: patience.answer,
    idleTimeout: 10_000,
    // More than any response needs that we read.
    maxResponseSize: 64 * 1024,
  }) as unknown as Transporter
}

import type { SendMailOptions } from 'nodemailer'
import { encodedWords } from '../../base/encoded-words.ts'
import { oneLine } from '../../base/short-text.ts'
import { type Attachment, bytesInMail, toNodemailer } from './attachments.ts'

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

/** A mail with checked addresses, as it leaves by any way. */
export interface Parcel {
  readonly from: { readonly name: string; readonly address: string }
  readonly to: string
  readonly replyTo: string | null
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The delivery: the same for each attempt. */
  readonly id: string
  /** With the brackets of a header. */
  readonly messageId: string
  /** ASCII, each in one line. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly Attachment[]
}

export const toParcel = (mail: Mail, { from, to, replyTo }: Pick<Parcel, 'from' | 'to' | 'replyTo'>): Parcel => ({
  from: { ...from, name: mail.fromName || from.name },
  ...{ to, replyTo, text: mail.text, html: mail.html, attachments: mail.attachments ?? [] },
  subject: oneLine(mail.subject.toWellFormed()),
  id: mail.messageId,
  messageId: `<${mail.messageId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
  headers: Object.entries({ 'Auto-Submitted': 'auto-generated', ...mail.headers }).map(([name, value]) => [
    name,
    value.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 900),
  ]),
})

/** Bytes of it as a message (RFC 5322), nearly. */
export const bytesOf = ({ text, html, attachments }: Parcel): number =>
  Buffer.byteLength(text) + Buffer.byteLength(html) + bytesInMail(attachments)

/** The message for nodemailer. Made anew for each try, because it opens files. */
export const toMessage = (parcel: Parcel): SendMailOptions => ({
  from: { ...parcel.from },
  to: { name: '', address: parcel.to },
  // An object, because a text would be read as a list of addresses.
  ...(parcel.replyTo !== null && { replyTo: { name: '', address: parcel.replyTo } }),
  text: parcel.text,
  html: parcel.html,
  attachments: parcel.attachments.map(toNodemailer),
  messageId: parcel.messageId,
  headers: [
    // The library would send an encoded word in it as it is.
    { key: 'Subject', value: { prepared: true, foldLines: true, value: encodedWords(parcel.subject) } },
    // Each in one line: the library would begin a long address in a new line.
    ...parcel.headers.map(([key, value]) => ({ key, value: { prepared: true, value } })),
  ],
  disableFileAccess: true,
  disableUrlAccess: true,
})

import { type Attachment, readWhole, toNodemailer } from './attachments.ts'
import type { Parcel } from './parcel.ts'

/** A name and an address in one text (RFC 5322 section 3.4). */
export const mailbox = ({ name, address }: Parcel['from']): string =>
  name === '' ? address : `"${harmless(name).replaceAll(/["\\]/g, '')}" <${address}>`

/** A text that a provider encodes. One that looks like an encoded word would go out as it is, and be decoded by the reader. */
export const harmless = (text: string): string => text.replaceAll(/=(?=\?)/g, '= ')

/** The files, each with the name and the type that it has in a message. */
export const inBase64 = async ({ attachments }: Pick<Parcel, 'attachments'>) => {
  const files: { name: string; type: string; content: string }[] = []
  for (const attachment of attachments) files.push(await toFile(attachment))
  return files
}

const toFile = async (attachment: Attachment) => {
  const { filename, contentType } = toNodemailer(attachment)
  return { name: filename, type: contentType, content: (await readWhole(attachment)).toString('base64') }
}

import { Readable } from 'node:stream'
import { fileName } from '../../base/file-name.ts'

/** A file that goes with a mail. Its bytes are read while it is sent. */
export interface Attachment {
  /** The name as it was sent; so is `type`. */
  readonly name: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  /** Reads it as it is taken. @param gone makes the error for one that is deleted meanwhile */
  readonly read: (gone: () => Error) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** More files than this together are not attached: in base64 they take 10 MB, which is all that many mail servers accept. */
export const maxAttachedBytes = 7 * 1024 * 1024

/** Bytes of these files in a mail: base64 in lines of 76, and some headers. */
export const bytesInMail = (attachments: readonly Attachment[]): number =>
  attachments.reduce((sum, { size }) => sum + Math.ceil((size / 57) * 78) + headerBytes, 0)

const headerBytes = 500

/**
 * An attachment for nodemailer, which reads it no faster than the mail server takes it. A file that is deleted meanwhile
 * ends the connection before the end of the mail, so that no half of it arrives.
 */
export const toNodemailer = (attachment: Attachment) => ({
  filename: fileName(attachment.name, 'file'),
  contentType: mediaType(attachment.type),
  contentDisposition: 'attachment' as const,
  content: Readable.from(piecesOf(attachment), { objectMode: false }),
})

/** The bytes of one, for a provider that takes no message in pieces. */
export const readWhole = async (attachment: Attachment): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of piecesOf(attachment)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Between two pieces, requests are answered. A mail server nearby takes a whole mail at once: they waited up to 0.6 s. */
async function* piecesOf({ read }: Attachment): AsyncGenerator<Uint8Array> {
  for await (const piece of read(deletedWhileSent)) {
    yield piece
    await Bun.sleep(0)
  }
}

const deletedWhileSent = () => Object.assign(new Error('a file was deleted while it was sent'), { code: 'ESTREAM' })

/**
 * The type as it may stand in a header (RFC 6838 section 4.2), without parameters. A whole mail, or parts of one, would
 * not be encoded as base64.
 */
const mediaType = (type: string): string => {
  const [plain = ''] = type.split(';')
  const isPlain = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/i.test(plain.trim())
  return isPlain && !/^(message|multipart)\//i.test(plain.trim()) ? plain.trim() : 'application/octet-stream'
}

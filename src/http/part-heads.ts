import { type AppError, invalid } from '../base/errors.ts'
import { decodeUtf8 } from '../base/json.ts'
import { shownLine } from '../base/short-text.ts'
import { parseDisposition, type QuotationMark } from './disposition.ts'

/** What the headers of a part say. */
interface PartHead {
  readonly name: string
  /** Null if the part is not a file; empty if no file was chosen. */
  readonly filename: string | null
  /** Media type as sent, with its parameters; empty if there is none. */
  readonly type: string
}

/** @param why such as `; part 2 has no name` */
export const malformed = (why = ''): AppError =>
  invalid({ field: 'body', message: `must be valid multipart/form-data${why}` })

/** Headers of a part. Clients send one to three. 200,000 in a body took 60 ms. */
const maxHeaders = 20
/** Lines of all headers of a part. A name of 255 bytes takes up to 15 if they are folded. */
const maxLines = 60

/** Reads the headers of the parts of one body, in order. */
export class PartHeads {
  private count = 0
  private quotationMark: QuotationMark | undefined

  /**
   * @param bytes with the line breaks before and after them
   * @throws AppError `invalid` if they are malformed or not UTF-8, or if the content is encoded or has parts itself
   */
  read(bytes: Uint8Array): PartHead {
    this.count++
    let [disposition, type, encoding] = ['', '', '']
    for (const header of headersIn(bytes)) {
      const colon = header.indexOf(':')
      const key = header.slice(0, Math.max(0, colon)).trimEnd().toLowerCase()
      if (key === 'content-disposition') disposition ||= header.slice(colon + 1).trim()
      else if (key === 'content-type') type ||= header.slice(colon + 1).trim()
      else if (key === 'content-transfer-encoding') encoding ||= header.slice(colon + 1).trim()
    }
    const { name, filename } = this.namesIn(disposition)
    if (!/^(?:7bit|8bit|binary)?$/i.test(encoding)) throw encoded(name, encoding)
    if (filename === null && /^multipart\//i.test(type)) throw nested(name, type)
    return { name, filename, type }
  }

  private namesIn(text: string): Pick<PartHead, 'filename' | 'name'> {
    const { name = null, filename = null, quotationMark = this.quotationMark } = parseDisposition(text) ?? {}
    this.quotationMark ??= quotationMark
    // A browser writes `a%22` for `a"`, and a program for `a%22`: in one body, these would be one name.
    if (name !== null && quotationMark === this.quotationMark) return { name, filename }
    const has = `has ${text === '' ? 'none' : shownLine(text)}`
    throw malformed(`; part ${this.count} must have a Content-Disposition such as form-data; name="email", ${has}`)
  }
}

/** Header lines, each with those that continue it (RFC 822 section 3.1.1). */
const headersIn = (bytes: Uint8Array): readonly string[] => {
  // The first and the last one are empty.
  const lines = decodeUtf8(bytes).split('\r\n', maxLines + 3)
  if (lines.length > maxLines + 2) throw malformed()
  const headers: string[] = []
  for (let i = 1; i < lines.length - 1; i++) {
    const line = lines[i] as string
    if (!line.startsWith(' ') && !line.startsWith('\t')) headers.push(line)
    else if (headers.length > 0) headers.push(headers.pop() + line)
    else throw malformed()
  }
  if (headers.length > maxHeaders) throw malformed()
  return headers
}

/** RFC 7578 section 4.7 deprecates it: the parts of a form are sent as they are. */
const encoded = (name: string, encoding: string): AppError =>
  invalid({
    field: shownLine(name),
    message: `must be sent as it is, without Content-Transfer-Encoding; ${shownLine(encoding)} is not supported`,
  })

/** RFC 7578 section 4.3: several files have a part each. Until 2015, they could be in one, which has no file name itself. */
const nested = (name: string, type: string): AppError =>
  invalid({
    field: shownLine(name),
    message: `must be sent in a part for each value, not in one of ${shownLine(type)}`,
  })

/**
 * Decodes the text of a part as its media type says, or else from UTF-8.
 *
 * @throws AppError `invalid` if the type names a charset that is not known, or the bytes are not in it
 */
export const decodeText = (name: string, type: string, content: Uint8Array): string => {
  const [, quoted, plain] = /;\s*charset=(?:"([^"]*)"|([^\s;"]*))/i.exec(type) ?? []
  const charset = quoted ?? plain ?? ''
  // ASCII is UTF-8, but a TextDecoder takes its name for Windows-1252.
  if (/^(?:utf-?8|us-ascii|ascii)?$/i.test(charset)) return decodeUtf8(content)
  try {
    return new TextDecoder(charset, { fatal: true }).decode(content)
  } catch {
    throw invalid({
      field: shownLine(name),
      message: `must be in UTF-8 or in the charset that its Content-Type names; ${shownLine(charset)} is unknown, or the text is not in it`,
    })
  }
}

import { invalid } from '../errors.ts'
import { decodeUtf8 } from '../json.ts'

/** One part of a multipart body. */
export interface Part {
  readonly name: string
  /** Null if the part is not a file; empty if no file was chosen. */
  readonly filename: string | null
  /** Media type of a file, as sent. */
  readonly type: string
  readonly content: Uint8Array
}

/**
 * The parts of a `multipart/form-data` body (RFC 7578), in order, up to one more than `maxParts`.
 *
 * Written by hand, because Bun's parser throws on the empty file input that every browser sends, derives a file's type
 * from its name, and silently drops parts and cuts names at NUL. @fastify/busboy, the best library, cuts names to their
 * base name, and accepts parts without a name and invalid UTF-8.
 *
 * @throws AppError `invalid` if the body is malformed or a name is not UTF-8
 */
export const parseMultipart = (contentType: string, body: Uint8Array, maxParts: number): Part[] => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const parts: Part[] = []
  // A line break is part of each delimiter except the first, which may be at the start of the body.
  let at = bytes.indexOf(delimiter.subarray(2)) + delimiter.length - 2
  if (at < delimiter.length - 2) throw malformed()
  for (;;) {
    if (bytes.toString('latin1', at, at + 2) === '--') return parts
    const start = endOfLine(bytes, at)
    const end = bytes.indexOf(delimiter, start - 2)
    if (end === -1) throw malformed()
    parts.push(toPart(bytes, start, end))
    if (parts.length > maxParts) return parts
    at = end + delimiter.length
  }
}

const malformed = () => invalid({ field: 'body', message: 'must be valid multipart/form-data' })

/** RFC 2046 section 5.1.1: 1 to 70 characters, in quotation marks or not. */
const boundaryOf = (contentType: string): string => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed()
  return boundary
}

/** Skips the rest of a delimiter's line, which may only be white space. */
const endOfLine = (bytes: Buffer, at: number): number => {
  const end = bytes.indexOf('\r\n', at)
  if (end === -1 || bytes.toString('latin1', at, end).trim() !== '') throw malformed()
  return end + 2
}

const toPart = (bytes: Buffer, start: number, end: number): Part => {
  // A part without headers has its empty line right after the delimiter. It has no name, so it is malformed.
  const headersEnd = bytes.indexOf('\r\n\r\n', start)
  if (headersEnd === -1 || headersEnd > end) throw malformed()
  const headers = decodeUtf8(bytes.subarray(start, headersEnd)).split('\r\n')
  const disposition = headerOf(headers, 'content-disposition')
  const name = parameterOf(disposition, 'name')
  if (!/^form-data\s*(;|$)/i.test(disposition) || name === null) throw malformed()
  return {
    name,
    filename: parameterOf(disposition, 'filename'),
    type: headerOf(headers, 'content-type'),
    content: bytes.subarray(headersEnd + 4, Math.max(headersEnd + 4, end)),
  }
}

const headerOf = (headers: readonly string[], name: string): string => {
  const line = headers.find((header) => header.slice(0, name.length + 1).toLowerCase() === `${name}:`)
  return line === undefined ? '' : line.slice(name.length + 1).trim()
}

/**
 * A parameter as browsers write it: in quotation marks, with `%22`, `%0D` and `%0A` for quotation marks and line
 * breaks. Nothing else is escaped, not even backslashes (HTML standard, "multipart form data").
 */
const parameterOf = (disposition: string, name: string): string | null => {
  for (const [, key, quoted, plain] of disposition.matchAll(/;[ \t]*([^\s=;"]+)=(?:"([^"]*)"|([^\s;"]*))/g))
    if (key?.toLowerCase() === name)
      return (quoted ?? plain ?? '').replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code))
  return null
}

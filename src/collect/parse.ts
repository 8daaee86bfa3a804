import { AppError, invalid } from '../base/errors.ts'
import { decodeJson, decodeUtf8, isObject } from '../base/json.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Found, MultipartParser } from '../http/multipart.ts'
import { decodeText } from '../http/part-heads.ts'
import type { PieceTaker } from '../http/read-body.ts'
import { because } from '../languages/texts.ts'
import { type Field, maxFields, maxSentBytes, refuseTooMany, textField } from '../submissions/fields.ts'
import { jsonFields } from '../submissions/json-fields.ts'
import type { IncomingFiles } from './incoming-files.ts'

/** The media type of a body that may have files. */
export const multipartType = 'multipart/form-data'
const urlencoded = 'application/x-www-form-urlencoded'

/**
 * Parses a body without files into its fields, in order. The body cannot be used afterwards.
 *
 * @throws AppError `invalid` if the body has another content type, is malformed or not UTF-8
 */
export const parseFields = (exchange: Exchange, body: Uint8Array): readonly Field[] => {
  if (body.length === 0) throw empty()
  const contentType = exchange.mediaType()
  switch (contentType) {
    case urlencoded:
      if (isJsonObject(body)) throw notUrlencoded()
      return parseUrlencoded(decodeUtf8(withSpaces(body)))
    case 'application/json':
      return jsonFields(decodeJson(body))
    default:
      throw invalid({
        field: 'body',
        message:
          `must have Content-Type ${urlencoded}, ${multipartType} or application/json, ` +
          `has ${contentType.slice(0, 100) || 'none'}`,
      })
  }
}

const empty = () =>
  invalid({ field: 'body', message: 'must hold at least one field, is empty', reason: because('empty') })

const notUrlencoded = () =>
  invalid({ field: 'body', message: `must have Content-Type application/json, because it is JSON, has ${urlencoded}` })

/** Whether all of a body is one JSON object. A browser writes `%7B` for the brace. Editors put a byte order mark before it. */
const isJsonObject = (body: Uint8Array): boolean => {
  let start = 0
  // Not `find`, which took 0.8 µs although it looks at one byte of most bodies.
  while (start < body.length && isSkipped(body[start] as number)) start++
  if (body[start] !== openingBrace) return false
  try {
    return isObject(JSON.parse(decodeJson(body)))
  } catch {
    return false
  }
}

const isSkipped = (byte: number): boolean => byte <= space || byteOrderMark.includes(byte)

/** Parses as the WHATWG URL standard does, section 5.1, except that invalid UTF-8 is refused instead of replaced. */
const parseUrlencoded = (text: string): Field[] => {
  const fields: Field[] = []
  let next = 0
  // Stops after one field too many: 500,000 would take 200 MB.
  for (let at = 0; at < text.length && fields.length <= maxFields; at = next + 1) {
    next = text.indexOf('&', at)
    if (next === -1) next = text.length
    const pair = text.slice(at, next)
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals))
    fields.push(textField(name, equals === -1 ? '' : decodePart(pair.slice(equals + 1))))
  }
  return fields
}

const [space, plus, percent, openingBrace] = [32, 43, 37, 123]
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** A megabyte of plus signs took 30 ms and 25 MB as text. */
const withSpaces = (body: Uint8Array): Uint8Array => {
  for (let at = body.indexOf(plus); at !== -1 && at < body.length; at++) if (body[at] === plus) body[at] = space
  return body
}

const decodePart = (part: string): string => {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return decodeUtf8(unescaped(Buffer.from(part)))
  }
}

/** A percent sign that does not start an escape stands for itself. */
const unescaped = (bytes: Buffer): Buffer => {
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const escaped = byte === percent ? 16 * digit(bytes[at + 1]) + digit(bytes[at + 2]) : Number.NaN
    const isEscape = escaped >= 0
    bytes[length++] = isEscape ? escaped : byte
    if (isEscape) at += 2
  }
  return bytes.subarray(0, length)
}

/** The value of a hexadecimal digit; NaN for anything else. */
const digit = (byte = 0): number => {
  const lower = byte | 32
  if (byte >= 48 && byte <= 57) return byte - 48
  return lower >= 97 && lower <= 102 ? lower - 87 : Number.NaN
}

/** Makes the fields of a multipart body while it arrives, and hands on its files. */
export class MultipartFields implements PieceTaker {
  private readonly parser: MultipartParser
  /** Those that have arrived, in order. */
  readonly fields: Field[] = []
  private bytes = 0
  private bytesOfFiles = 0

  /** @throws AppError `invalid` if the content type names no boundary */
  constructor(
    request: Request,
    private readonly files: IncomingFiles,
  ) {
    this.parser = new MultipartParser(request.headers.get('content-type') ?? '')
  }

  /** @throws AppError `invalid` if the body is malformed or not UTF-8, `too_large`, or what a file is refused for */
  async take(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      const slice = piece.length > sliceBytes ? piece.subarray(at, at + sliceBytes) : piece
      this.bytes += slice.length
      this.parser.add(slice)
      for (let found = this.parser.next(); found; found = this.parser.next()) {
        if (found.kind === 'text') this.add(textField(found.name, decodeText(found.name, found.type, found.content)))
        else await this.takeFile(found)
      }
      if (this.bytes - this.bytesOfFiles > maxSentBytes) throw tooMuchText()
    }
  }

  heldBytes(): number {
    return this.bytes - this.bytesOfFiles + this.files.heldBytes
  }

  /** All fields, in order. To be called when the whole body was taken. @throws AppError `invalid` if it breaks off */
  end(): readonly Field[] {
    if (this.bytes === 0) throw empty()
    this.parser.end()
    return this.fields
  }

  private async takeFile(found: Exclude<Found, { kind: 'text' }>): Promise<void> {
    if (found.kind === 'file') this.files.begin(found)
    else if (found.kind === 'end of file') this.add(await this.files.end())
    else {
      this.bytesOfFiles += found.bytes.length
      await this.files.take(found.bytes)
    }
  }

  private add(field: Field): void {
    this.fields.push(field)
    refuseTooMany(this.fields)
  }
}

/** Bun hands on up to 2 MiB at once, which the parser copies. */
const sliceBytes = 64 * 1024

const tooMuchText = (): AppError =>
  new AppError('too_large', 'Invalid input data', {
    issues: [{ field: 'body', message: `must be at most ${maxSentBytes} bytes without its files` }],
    reason: because('textTooLong', maxSentBytes),
  })

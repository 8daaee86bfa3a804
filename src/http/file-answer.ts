import { AppError } from '../base/errors.ts'
import type { FileReads, StoredFile } from '../submissions/files/file-reads.ts'
import { disagrees } from '../submissions/files/kind.ts'
import { pieceBytes } from '../submissions/files/pieces.ts'
import { attachmentNamed } from './attachment.ts'
import type { Exchange } from './exchange.ts'
import { isUnchanged } from './headers.ts'
import { BrokenOff, streamedJson } from './streamed.ts'

/** A file of a submission. Its bytes are read while they are sent. */
export interface FileAnswer {
  readonly file: StoredFile
  readonly bytesOf: FileReads['bytesOf']
}

/**
 * Responds with a file of a submission, or with the part of it that the request names (RFC 9110 section 14). A request for
 * several parts gets the whole file, as the standard allows. A client that does not read it holds one piece in memory.
 *
 * Bun sends a body that is made while it is sent in chunks, without its length (its issue 10507). So only the response to
 * HEAD, and what is no longer than a piece, has a `Content-Length`.
 *
 * @throws AppError `unsatisfiable` if the file ends before the part
 */
export const fileAnswer = (
  exchange: Exchange,
  { file, bytesOf }: FileAnswer,
  options: Parameters<typeof streamedJson>[2],
): Response => {
  const { request } = exchange
  // What an identifier stands for never changes.
  const etag = `"${file.id}"`
  const known = { ...fileHeaders, etag, 'content-disposition': attachmentNamed(file.name) }
  if (isUnchanged(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers: known })
  const part = partIn(exchange, file.size, etag)
  const { start, end } = part ?? { start: 0, end: file.size }
  const status = part ? 206 : 200
  const headers = {
    ...known,
    'content-type': thumbnailKind(file) ?? 'application/octet-stream',
    ...(part && { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }),
  }
  const withLength = { ...headers, 'content-length': String(end - start) }
  if (request.method === 'HEAD') return new Response(null, { status, headers: withLength })
  const bytes = bytesOf(file, deletedWhileSent, start, end)
  if (end - start <= pieceBytes) return new Response(Buffer.concat([...bytes]), { status, headers: withLength })
  return new Response(streamedJson(exchange, bytes, { ...options, minChunkBytes: 1 }).body, { status, headers })
}

/** For what a visitor sent: it must never run, whatever it is. */
export const neverRunHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}

const fileHeaders = {
  ...neverRunHeaders,
  'accept-ranges': 'bytes',
  // A browser that keeps it asks each time whether its user may still read it.
  'cache-control': 'private, no-cache',
}

/** The media types that a file may have; any other is `application/octet-stream`. */
export const thumbnailKinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/**
 * The media type of a picture that a page may show; undefined for all else. Its bytes say so themselves, whatever the
 * visitor said, and none of these can hold a script that a browser would run.
 */
export const thumbnailKind = ({ name, type, kind }: StoredFile): string | undefined =>
  kind !== null && thumbnailKinds.includes(kind) && !disagrees(name, type, kind) ? kind : undefined

/**
 * The one part that a GET request names, from `start` to before `end`; undefined for the whole file.
 *
 * @throws AppError `unsatisfiable`
 */
const partIn = ({ request, headers }: Exchange, size: number, etag: string) => {
  const condition = request.headers.get('if-range')
  if (request.method !== 'GET' || (condition !== null && condition !== etag)) return undefined
  const named = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i.exec(request.headers.get('range') ?? '')
  if (!named) return undefined
  const [, first, last = '', fromEnd] = named
  const start = first === undefined ? Math.max(0, size - Number(fromEnd)) : Number(first)
  const end = last === '' ? size : Math.min(size, Number(last) + 1)
  // No part: the header is ignored. A part of nothing cannot be written down.
  if ((last !== '' && Number(last) < start) || (size === 0 && Number(fromEnd) > 0)) return undefined
  if (start < size) return { start, end }
  headers['content-range'] = `bytes */${size}`
  throw new AppError('unsatisfiable', `The file has ${size} bytes`)
}

const deletedWhileSent = () => new BrokenOff('the file was deleted while it was being sent')

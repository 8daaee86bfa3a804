import { closeSync, openSync, writeSync } from 'node:fs'
import type { Bucket } from './bucket.ts'
import { sumHeader } from './objects.ts'
import { request, type S3Answer, S3Error } from './request.ts'

/**
 * Writes an object to a new file, for its owner only, and checks its size and its sum, if it has one. Asks for one part
 * after the other, so that a connection that breaks costs one part, and holds that part in memory.
 *
 * @param onStart called with the number of bytes that will come, and the first of them, before they are written. If it
 *   throws, nothing more is asked for
 * @throws S3Error; then the file may have any content
 */
export const getFile = async (
  bucket: Bucket,
  key: string,
  path: string,
  onStart: (total: number, start: Uint8Array) => void = () => {},
): Promise<void> => {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    const hash = new Bun.CryptoHasher('sha256')
    const into = new Uint8Array(bucket.limits.partBytes)
    const first = await getPart(bucket, key, into, 0)
    onStart(first.total, first.body)
    let position = 0
    for (let part = first; ; part = await getPart(bucket, key, into, position, first)) {
      hash.update(part.body)
      writeAll(descriptor, part.body)
      position += part.body.length
      if (position >= first.total) break
    }
    checkSum(first.sha256, hash.digest('hex'))
  } finally {
    closeSync(descriptor)
  }
}

interface Part {
  /** Valid until the next one is read. */
  readonly body: Uint8Array
  /** Bytes of the whole object. */
  readonly total: number
  readonly tag: string | null
  readonly sha256: string | null
}

const getPart = async (bucket: Bucket, key: string, into: Uint8Array, from: number, first?: Part): Promise<Part> => {
  const headers = { range: `bytes=${from}-${from + into.length - 1}` }
  const part = toPart(await request(bucket, { method: 'GET', key, headers, into }), from)
  const isSame = !first || (part.total === first.total && part.tag === first.tag)
  if (!isSame) throw new S3Error('the object changed while it was read', 200)
  const expected = Math.min(into.length, part.total - from)
  if (part.body.length !== expected || expected === 0)
    throw new S3Error(`the server sent ${part.body.length} of ${expected} bytes from ${from} on`, 200)
  return part
}

const toPart = ({ status, headers, body }: S3Answer, from: number): Part => {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  const isWhole = status === 200 && from === 0
  if (!isWhole && Number(start) !== from) throw new S3Error('the server does not send parts of an object', status)
  return {
    body,
    total: isWhole ? body.length : Number(total),
    tag: headers.get('etag'),
    sha256: headers.get(sumHeader),
  }
}

const writeAll = (descriptor: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}

/** An object that another tool put there has no sum. Then only its pages are checked, by SQLite. */
const checkSum = (declared: string | null, found: string): void => {
  if (declared !== null && declared !== found)
    throw new S3Error(`its content has the SHA-256 ${found}, but it was put there with ${declared}`, 200)
}

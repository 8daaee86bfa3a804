import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Bucket } from './bucket.ts'
import { abortUpload, type Stat, statObject, sumHeader } from './objects.ts'
import { refusal, request, S3Error } from './request.ts'
import { elements, escapeXml, textOf } from './xml.ts'

/** A file that stays readable until it is closed, also if it is removed meanwhile. */
export interface LocalFile extends Stat {
  readonly sha256: string
  /** Up to `bytes.length` bytes from that position, as part of `bytes`. */
  read(bytes: Uint8Array<ArrayBuffer>, position: number): Uint8Array<ArrayBuffer>
  close(): void
}

/** Reads the file once for its sum, 0.5 s a GB. */
export const openLocalFile = (path: string): LocalFile => {
  const descriptor = openSync(path, 'r')
  const read: LocalFile['read'] = (bytes, position) => {
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(descriptor, bytes, length, bytes.length - length, position + length)
    return bytes.subarray(0, length)
  }
  try {
    const { size } = fstatSync(descriptor)
    return { bytes: size, sha256: sumOf(read), read, close: () => closeSync(descriptor) }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

const sumOf = (read: LocalFile['read']): string => {
  const hash = new Bun.CryptoHasher('sha256')
  const buffer = new Uint8Array(1024 * 1024)
  let position = 0
  for (let piece = read(buffer, 0); piece.length > 0; piece = read(buffer, position)) {
    hash.update(piece)
    position += piece.length
  }
  return hash.digest('hex')
}

/**
 * Puts a file on the server, in parts if it is larger than one. The server checks each part by its SHA-256 and its MD5,
 * and its response about the whole object is compared with the file. Holds one part in memory.
 *
 * @param onProgress called with the number of bytes that are there
 */
export const putFile = async (
  bucket: Bucket,
  key: string,
  file: LocalFile,
  onProgress: (bytes: number) => void = () => {},
): Promise<void> => {
  if (file.bytes <= bucket.limits.partBytes) await putWhole(bucket, key, file)
  else await putParts(bucket, key, file, onProgress)
  const { bytes, sha256 } = await statObject(bucket, key)
  if (bytes !== file.bytes || sha256 !== file.sha256)
    throw new S3Error(
      `the server has ${bytes} bytes with the sum ${sha256}, not ${file.bytes} with ${file.sha256}`,
      200,
    )
}

const putWhole = async (bucket: Bucket, key: string, file: LocalFile): Promise<void> => {
  const body = file.read(new Uint8Array(file.bytes), 0)
  await request(bucket, { method: 'PUT', key, body, headers: { ...md5Of(body), [sumHeader]: file.sha256 } })
}

/** Buckets that keep objects from being deleted require this header, in addition to the signature. */
const md5Of = (body: Uint8Array) => ({ 'content-md5': new Bun.CryptoHasher('md5').update(body).digest('base64') })

const putParts = async (bucket: Bucket, key: string, file: LocalFile, onProgress: (bytes: number) => void) => {
  const id = await startUpload(bucket, key, file)
  try {
    const tags = await sendParts(bucket, key, id, file, onProgress)
    await completeUpload(bucket, key, id, tags)
  } catch (error) {
    // If this fails too, the next backup aborts it. The first error is the one to report.
    await abortUpload(withOneRetry(bucket), key, id).catch(() => {})
    throw error
  }
}

/** For a last request. It is tried twice, because a connection that broke before may be used again. */
const withOneRetry = ({ limits, ...bucket }: Bucket): Bucket => ({
  ...bucket,
  limits: { ...limits, pausesMilliseconds: limits.pausesMilliseconds.slice(0, 1) },
})

const startUpload = async (bucket: Bucket, key: string, { sha256 }: LocalFile): Promise<string> => {
  const { body } = await request(bucket, {
    method: 'POST',
    key,
    query: { uploads: '' },
    headers: { [sumHeader]: sha256 },
  })
  const id = textOf(new TextDecoder().decode(body), 'UploadId')
  if (!id) throw new S3Error('the server gave no identifier for an upload in parts', 200)
  return id
}

/** S3 allows 10,000 parts. All but the last must have the same size for some servers. */
const maxParts = 10_000

const sendParts = async (
  bucket: Bucket,
  key: string,
  id: string,
  file: LocalFile,
  onProgress: (bytes: number) => void,
): Promise<string[]> => {
  const buffer = new Uint8Array(Math.max(bucket.limits.partBytes, Math.ceil(file.bytes / maxParts)))
  const hash = new Bun.CryptoHasher('sha256')
  const tags: string[] = []
  for (let position = 0; position < file.bytes; ) {
    const body = file.read(buffer, position)
    if (body.length === 0) break
    hash.update(body)
    const query = { partNumber: String(tags.length + 1), uploadId: id }
    const { headers } = await request(bucket, { method: 'PUT', key, query, body, headers: md5Of(body) })
    tags.push(headers.get('etag') ?? '')
    position += body.length
    onProgress(position)
  }
  const sent = hash.digest('hex')
  if (sent !== file.sha256) throw new Error('the file changed while it was sent')
  return tags
}

const completeUpload = async (bucket: Bucket, key: string, id: string, tags: readonly string[]): Promise<void> => {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`)
  const text = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
  const query = { uploadId: id }
  try {
    const { body } = await request(bucket, { method: 'POST', key, query, body: new TextEncoder().encode(text) })
    // The response begins before the parts are joined, so an error can follow a status of 200.
    if (elements(new TextDecoder().decode(body), 'Error').length > 0) throw refusal(bucket, 200, body)
  } catch (error) {
    // A response that was lost is not an error: the second attempt finds no such upload.
    if (error instanceof S3Error && error.status === 404 && (await isThere(bucket, key))) return
    throw error
  }
}

const isThere = (bucket: Bucket, key: string): Promise<boolean> =>
  statObject(bucket, key).then(
    () => true,
    () => false,
  )

import type { Bucket } from './bucket.ts'
import { request, S3Error } from './request.ts'
import { elements, textOf } from './xml.ts'

/** 1,000 keys each: more than anybody keeps. A server could go on without end. */
const maxPages = 200
const maxObjects = maxPages * 1000

/** The keys of the objects that begin with `start`, but of none below a further slash. */
export const listObjects = async (bucket: Bucket, start: string): Promise<string[]> => {
  const found: string[] = []
  let token: string | undefined
  for (let page = 0; page < maxPages && found.length <= maxObjects; page++) {
    const query = { 'list-type': '2', prefix: start, delimiter: '/', ...(token && { 'continuation-token': token }) }
    const xml = await textAnswer(bucket, query)
    for (const one of elements(xml, 'Contents')) found.push(keyIn(one))
    token = textOf(xml, 'IsTruncated') === 'true' ? textOf(xml, 'NextContinuationToken') : undefined
    if (token === undefined) return found
  }
  throw new S3Error(`there are more than ${maxObjects} objects that begin with ${start}`, 0)
}

const keyIn = (xml: string): string => textOf(xml, 'Key') ?? ''

const textAnswer = async (bucket: Bucket, query: Readonly<Record<string, string>>): Promise<string> =>
  new TextDecoder().decode((await request(bucket, { method: 'GET', key: '', query })).body)

export interface Stat {
  readonly bytes: number
  /** SHA-256 of the content in hexadecimal, as its owner declared it; null if there is none. */
  readonly sha256: string | null
}

/** @throws S3Error with status 404 if there is no such object */
export const statObject = async (bucket: Bucket, key: string): Promise<Stat> => {
  const { headers } = await request(bucket, { method: 'HEAD', key })
  return { bytes: Number(headers.get('content-length')), sha256: headers.get(sumHeader) }
}

/** All servers keep headers with this beginning as they are. Their own checksums differ from each other. */
export const sumHeader = 'x-amz-meta-sha256'

export const removeObject = async (bucket: Bucket, key: string): Promise<void> => {
  await request(bucket, { method: 'DELETE', key })
}

export interface StartedUpload {
  readonly key: string
  readonly id: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
}

/** Uploads in parts that were neither completed nor aborted. Their parts take room on the server, and cost money. */
export const listUploads = async (bucket: Bucket, start: string): Promise<StartedUpload[]> => {
  const xml = await textAnswer(bucket, { uploads: '', prefix: start })
  return elements(xml, 'Upload').map((one) => ({
    key: keyIn(one),
    id: textOf(one, 'UploadId') ?? '',
    startedAt: Date.parse(textOf(one, 'Initiated') ?? ''),
  }))
}

export const abortUpload = async (bucket: Bucket, key: string, id: string): Promise<void> => {
  await request(bucket, { method: 'DELETE', key, query: { uploadId: id } })
}

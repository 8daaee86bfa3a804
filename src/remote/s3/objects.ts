import type { Bucket } from './bucket.ts'
import { request, S3Error } from './request.ts'
import { elements, textOf } from './xml.ts'

/** The keys of the objects that begin with `start`, but of none below a further slash. */
export const listObjects = async (bucket: Bucket, start: string): Promise<string[]> => {
  const query = { 'list-type': '2', prefix: start, delimiter: '/' }
  const next = { 'continuation-token': 'NextContinuationToken' }
  const what = `objects that begin with ${start}`
  return await listAll(bucket, { query, next, element: 'Contents', parse: keyIn, what })
}

interface List<Item> {
  readonly query: Readonly<Record<string, string>>
  /** Names of more parameters for the next page, and the element of this page that has the value. */
  readonly next: Readonly<Record<string, string>>
  readonly element: string
  readonly parse: (content: string) => Item
  readonly what: string
}

/** 1,000 keys each: more than anyone keeps. A server could go on without end. */
const maxPages = 200
const maxElements = maxPages * 1000

/** Parses the elements of all pages. */
const listAll = async <Item>(bucket: Bucket, list: List<Item>): Promise<Item[]> => {
  const { query, next, element, parse, what } = list
  const found: Item[] = []
  let more: (readonly [string, string])[] = []
  for (let page = 0; page < maxPages && found.length <= maxElements; page++) {
    const { body } = await request(bucket, { method: 'GET', key: '', query: { ...query, ...Object.fromEntries(more) } })
    const xml = new TextDecoder().decode(body)
    for (const one of elements(xml, element)) found.push(parse(one))
    if (textOf(xml, 'IsTruncated') !== 'true') return found
    more = Object.entries(next).flatMap(([name, said]) => {
      const value = textOf(xml, said)
      return value ? [[name, value] as const] : []
    })
    if (more.length === 0) return found
  }
  throw new S3Error(`there are more than ${maxElements} ${what}`, 0)
}

const keyIn = (xml: string): string => textOf(xml, 'Key') ?? ''

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
  const query = { uploads: '', prefix: start }
  const next = { 'key-marker': 'NextKeyMarker', 'upload-id-marker': 'NextUploadIdMarker' }
  const what = `unfinished uploads that begin with ${start}`
  return await listAll(bucket, { query, next, element: 'Upload', parse: toUpload, what })
}

const toUpload = (xml: string): StartedUpload => ({
  key: keyIn(xml),
  id: textOf(xml, 'UploadId') ?? '',
  startedAt: Date.parse(textOf(xml, 'Initiated') ?? ''),
})

export const abortUpload = async (bucket: Bucket, key: string, id: string): Promise<void> => {
  await request(bucket, { method: 'DELETE', key, query: { uploadId: id } })
}

// A small, strict S3 server: it checks each signature and each sum as Amazon does, and makes faults on request. Its check
// of signatures follows the specification, and shares nothing with the client in src.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterThisTest } from '../harness.ts'

export interface Asked {
  readonly method: string
  /** Empty for the bucket. */
  readonly key: string
  readonly query: URLSearchParams
}

/**
 * - `never`: reads the request and does not answer.
 * - `die`: breaks the connection in the middle of the request's body, or before the answer.
 * - `forget`: does what was asked, and breaks the connection before the answer.
 * - `cut`: breaks the connection in the middle of the answer.
 * - `short`: answers with half of what was asked for, as if that was all.
 * - `slow`: sends one byte of the answer, and nothing more.
 * - `endless`: answers without end.
 * - `truncated`: answers with an empty list of which there is more.
 * - `unclosed`: answers with 4 MB of elements that do not end.
 * - `wrong`: answers with a wrong ETag, or with a wrong sum.
 * - `failing`: answers 200, with an error in the body.
 * - `elsewhere`: redirects to another host.
 * - `echo`: refuses, and repeats the authorization, and the secret many times.
 */
export type Fault =
  | 'never'
  | 'die'
  | 'forget'
  | 'cut'
  | 'short'
  | 'slow'
  | 'endless'
  | 'truncated'
  | 'unclosed'
  | 'wrong'
  | 'failing'
  | 'elsewhere'
  | 'echo'
  | [number, string]

interface Stored {
  bytes: Buffer
  readonly etag: string
  readonly sum: string | undefined
}

interface Upload {
  readonly key: string
  readonly sum: string | undefined
  readonly startedAt: Date
  readonly parts: Map<number, Stored>
}

export const keys = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'the/secret+of/this==server' }

interface S3Options {
  readonly bucket?: string
  readonly region?: string
  readonly pageSize?: number
  /** Without it, the keys are refused. */
  readonly sessionToken?: string
}

export const startS3 = async (options: S3Options = {}) => {
  const { bucket = 'backups', region = 'us-east-1', pageSize = 1000, sessionToken } = options
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, Upload>()
  const asked: Asked[] = []
  const faults: ((asked: Asked) => Fault | undefined)[] = []
  let nextId = 1

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://s3')
    const [, name, ...rest] = url.pathname.split('/')
    const what: Asked = {
      method: request.method ?? '',
      key: rest.map(decodeURIComponent).join('/'),
      query: url.searchParams,
    }
    asked.push(what)
    const fault = faults.map((find) => find(what)).find(Boolean)
    if (fault === 'die') return breakIn(request)
    const body = await bodyOf(request)
    if (fault === 'never') return
    const refuse = (status: number, code: string, message = code) =>
      response
        .writeHead(status)
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`)
    if (fault === 'elsewhere')
      return void response.writeHead(301, { location: `https://s3.example.com${request.url}` }).end('<p>Moved</p>')
    if (fault === 'echo')
      return void refuse(
        403,
        'Echo',
        `${request.headers.authorization} &amp; ${sessionToken} ${keys.secretAccessKey.repeat(20)}`,
      )
    if (Array.isArray(fault)) return void refuse(...fault)
    const wrong = wrongIn(request, url, body, region)
    if (wrong) return void refuse(...wrong)
    if (request.headers['x-amz-security-token'] !== sessionToken) return void refuse(403, 'InvalidToken')
    if (name !== bucket) return void refuse(404, 'NoSuchBucket', 'The specified bucket does not exist')
    if (fault === 'endless') return void sendEndlessly(response)
    if (fault === 'truncated') {
      const marker = 'x'.repeat(asked.length)
      const markers = ['NextContinuationToken', 'NextKeyMarker'].map((each) => `<${each}>${marker}</${each}>`)
      return void response.end(listPage(true, markers.join('')))
    }
    if (fault === 'unclosed') return void response.end('<Contents>'.repeat(400_000))
    if (fault === 'failing')
      return void response.end('<Error><Code>InternalError</Code><Message>Try again</Message></Error>')
    const send = (status: number, headers: Record<string, string>, content: string | Buffer = '') => {
      if (fault === 'forget') return void request.socket.destroy()
      const bytes = Buffer.from(content)
      const isCut = fault === 'cut' || fault === 'short'
      const sent = isCut ? bytes.subarray(0, bytes.length / 2) : bytes
      response.writeHead(status, { 'content-length': fault === 'short' ? sent.length : bytes.length, ...headers })
      if (fault === 'slow') response.write(bytes.subarray(0, 1))
      else if (fault === 'cut') response.write(sent, () => request.socket.destroy())
      else response.end(sent)
    }
    handle({ ...what, body, request, refuse, send, isWrong: fault === 'wrong' })
  }

  interface Handling extends Asked {
    readonly body: Buffer
    readonly request: IncomingMessage
    readonly refuse: (status: number, code: string, message?: string) => unknown
    readonly send: (status: number, headers: Record<string, string>, content?: string | Buffer) => void
    readonly isWrong: boolean
  }

  const handle = (all: Handling): unknown => {
    const { method, key, query, body, request, refuse, send, isWrong } = all
    const upload = uploads.get(query.get('uploadId') ?? '')
    if (query.has('uploadId') && upload?.key !== key) return refuse(404, 'NoSuchUpload')
    const sum = request.headers['x-amz-meta-sha256'] as string | undefined
    const stored = { bytes: body, etag: `"${createHash('md5').update(body).digest('hex')}"`, sum }
    switch (`${method} ${key === '' ? 'bucket' : upload ? 'upload' : query.has('uploads') ? 'uploads' : 'object'}`) {
      case 'GET bucket':
        return send(200, {}, query.has('uploads') ? uploadList(query) : objectList(query))
      case 'PUT object':
        objects.set(key, stored)
        return send(200, { etag: stored.etag })
      case 'POST uploads': {
        const id = `upload-${nextId++}`
        uploads.set(id, { key, sum, startedAt: new Date(), parts: new Map() })
        return send(
          200,
          {},
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        )
      }
      case 'PUT upload':
        upload?.parts.set(Number(query.get('partNumber')), stored)
        return send(200, { etag: isWrong ? '"00000000000000000000000000000000"' : stored.etag })
      case 'POST upload': {
        const joined = upload && join(upload, body.toString())
        if (!joined) return refuse(400, 'InvalidPart', 'One or more of the specified parts could not be found')
        objects.set(key, joined)
        uploads.delete(query.get('uploadId') ?? '')
        return send(200, {}, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
      }
      case 'DELETE upload':
        uploads.delete(query.get('uploadId') ?? '')
        return send(204, {})
      case 'DELETE object':
        objects.delete(key)
        return send(204, {})
      default:
        return sendObject(all)
    }
  }

  const sendObject = ({ method, key, request, refuse, send, isWrong }: Handling): unknown => {
    const found = objects.get(key)
    if (!found) return refuse(404, 'NoSuchKey', 'The specified key does not exist.')
    const headers = {
      etag: found.etag,
      ...(found.sum && { 'x-amz-meta-sha256': isWrong ? 'f'.repeat(64) : found.sum }),
    }
    if (method === 'HEAD') return send(200, { ...headers, 'content-length': String(found.bytes.length) })
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = found.bytes.subarray(Number(from), Number(to) + 1)
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${found.bytes.length}`
    return send(206, { ...headers, 'content-range': range }, part)
  }

  const objectList = (query: URLSearchParams): string => {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const found = [...objects]
      .filter(([key]) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/') && key > after)
      .sort()
    const page = found.slice(0, pageSize)
    const more = found.length > page.length
    const rows = page.map(
      ([key, { bytes }]) => `<Contents><Key>${inXml(key)}</Key><Size>${bytes.length}</Size></Contents>`,
    )
    const token = more ? `<NextContinuationToken>${inXml(page.at(-1)?.[0] ?? '')}</NextContinuationToken>` : ''
    return listPage(more, token + rows.join(''))
  }

  const uploadList = (query: URLSearchParams): string => {
    const prefix = query.get('prefix') ?? ''
    const [afterKey, afterId] = [query.get('key-marker') ?? '', query.get('upload-id-marker') ?? '']
    const found = [...uploads]
      .filter(([id, { key }]) => key.startsWith(prefix) && (key > afterKey || (key === afterKey && id > afterId)))
      .sort(([one, { key }], [other, { key: otherKey }]) => (`${key} ${one}` < `${otherKey} ${other}` ? -1 : 1))
    const page = found.slice(0, pageSize)
    const [lastId = '', last] = page.at(-1) ?? []
    const rows = page.map(
      ([id, { key, startedAt }]) =>
        `<Upload><Key>${inXml(key)}</Key><UploadId>${id}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    )
    const next = `<NextKeyMarker>${inXml(last?.key ?? '')}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>`
    const more = found.length > page.length
    return `<ListMultipartUploadsResult><IsTruncated>${more}</IsTruncated>${more ? next : ''}${rows.join('')}</ListMultipartUploadsResult>`
  }

  const server = createServer(
    (request, response) => void answer(request, response).catch(() => request.socket.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterThisTest(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    endpoint,
    bucket,
    objects,
    uploads,
    /** All requests so far. */
    asked,
    access: { endpoint, region, ...keys, ...(sessionToken !== undefined && { sessionToken }) },
    environment: {
      FORMBOX_BACKUP_S3_ENDPOINT: endpoint,
      FORMBOX_BACKUP_S3_KEY_ID: keys.accessKeyId,
      FORMBOX_BACKUP_S3_SECRET: keys.secretAccessKey,
    },
    /** Makes a fault of each request for which the function returns one. */
    fail: (find: (asked: Asked) => Fault | undefined) => void faults.push(find),
    heal: () => void faults.splice(0),
  }
}

const listPage = (isTruncated: boolean, content: string): string =>
  `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${content}</ListBucketResult>`

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const breakIn = (request: IncomingMessage): void => {
  const { socket } = request
  const end = () => socket.destroy()
  request.once('data', end).once('end', end)
}

const sendEndlessly = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Undefined if a part is missing, has another ETag, or is too small. */
const join = ({ parts, sum }: Upload, xml: string): Stored | undefined => {
  const named = [...xml.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)]
  const found = named.map(([, number, etag]) => {
    const part = parts.get(Number(number))
    return part?.etag === etag?.replaceAll('&#34;', '"') ? part : undefined
  })
  if (found.length === 0 || found.includes(undefined)) return undefined
  const bytes = Buffer.concat(found.map((part) => part?.bytes ?? Buffer.alloc(0)))
  // As some servers do, it gives an object that was sent in parts an ETag that is no MD5.
  return { bytes, etag: `"${createHash('sha1').update(bytes).digest('hex')}-${found.length}"`, sum }
}

const longestSkewMilliseconds = 15 * 60_000

/** What is wrong with a request as a whole. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const wrongIn = (
  { method = '', url: target = '', headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  region: string,
): [number, string, string?] | undefined => {
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
  const [, keyId, day, ofRegion, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (!keyId || !day) return [403, 'AccessDenied', 'There is no signature']
  if (keyId !== keys.accessKeyId) return [403, 'InvalidAccessKeyId', 'The key does not exist']
  if (ofRegion !== region)
    return [400, 'AuthorizationHeaderMalformed', `the region '${ofRegion}' is wrong; expecting '${region}'`]
  const time = String(headers['x-amz-date'])
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < longestSkewMilliseconds))
    return [403, 'RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.']
  const mustBeSigned = Object.keys(headers).filter(
    (name) => name === 'host' || name === 'content-md5' || name.startsWith('x-amz-'),
  )
  if (!mustBeSigned.every((name) => names.split(';').includes(name)))
    return [403, 'AccessDenied', 'A header is not signed']
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const parts = url.search.slice(1).split('&').filter(Boolean).sort()
  const canonical = [
    method,
    target.split('?')[0],
    parts.join('&'),
    lines.join(''),
    names,
    headers['x-amz-content-sha256'],
  ]
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, hash(canonical.join('\n'))].join('\n')
  let key: string | Buffer = `AWS4${keys.secretAccessKey}`
  for (const word of [day, region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(word).digest()
  if (createHmac('sha256', key).update(text).digest('hex') !== signature) return [403, 'SignatureDoesNotMatch']
  if (headers['x-amz-content-sha256'] !== hash(body)) return [400, 'XAmzContentSHA256Mismatch']
  const md5 = createHash('md5').update(body).digest('base64')
  if (method === 'PUT' && headers['content-md5'] !== md5) return [400, 'BadDigest']
  return undefined
}

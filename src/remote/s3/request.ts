import { readAtMost } from '../../base/joined-bytes.ts'
import type { Bucket } from './bucket.ts'
import { encodePath, encodeQuery, signedHeaders } from './signature.ts'
import { textOf } from './xml.ts'

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** Receives the response's body. A longer one is an error. By default it may have 4 MiB. */
  readonly into?: Uint8Array
}

export interface S3Answer {
  readonly status: number
  readonly headers: Headers
  /** A part of `into`, if there is one. */
  readonly body: Uint8Array
}

/** Thrown when the server refuses a request, or is not reached. The message is for the operator. */
export class S3Error extends Error {
  override readonly name = 'S3Error'

  constructor(
    message: string,
    /** 0 if there was no response. */
    readonly status: number,
  ) {
    super(message)
  }
}

/** A page of a list has up to 1,000 keys. */
const maxAnswerBytes = 4 * 1024 * 1024

/**
 * Sends a request and reads the whole response, within the bucket's time limit. What may succeed later is tried again.
 *
 * @throws S3Error for any status but 2xx
 */
export const request = async (bucket: Bucket, wanted: S3Request): Promise<S3Answer> => {
  for (const pause of bucket.limits.pausesMilliseconds) {
    try {
      return await requestOnce(bucket, wanted)
    } catch (error) {
      if (!(error instanceof S3Error) || !mayPass(error.status)) throw error
      await Bun.sleep(pause)
    }
  }
  return await requestOnce(bucket, wanted)
}

/** Whether a later attempt may succeed: too slow, too many requests, or a fault of the server. */
const mayPass = (status: number): boolean =>
  status === 0 || status === 408 || status === 429 || (status >= 500 && status !== 501)

const requestOnce = async (bucket: Bucket, wanted: S3Request): Promise<S3Answer> => {
  const { method, key, query = {}, headers = {}, body, into } = wanted
  const url = new URL(`${bucket.url}/${encodePath(key)}`)
  url.search = encodeQuery(query)
  const unsigned = { method, url, headers, body: body ?? new Uint8Array(), at: Date.now() }
  const signal = AbortSignal.timeout(bucket.limits.requestMilliseconds)
  try {
    const response = await fetch(url, {
      method,
      headers: { ...signedHeaders(unsigned, bucket.access), 'accept-encoding': 'identity' },
      ...(body && { body }),
      // The signature is for this host only.
      redirect: 'manual',
      signal,
    })
    const answer = await readAnswer(response, into)
    if (response.ok) return { status: response.status, headers: response.headers, body: answer }
    throw refusal(bucket, response.status, answer, response.headers.get('location'))
  } catch (error) {
    if (error instanceof S3Error) throw error
    throw new S3Error(signal.aborted ? tooSlow(bucket) : notReached(url, error), 0)
  }
}

const readAnswer = async (response: Response, into: Uint8Array | undefined): Promise<Uint8Array> => {
  const maxBytes = into?.length ?? maxAnswerBytes
  const answer = await readAtMost(response.body, maxBytes, into)
  if (answer !== 'too large') return answer
  throw new S3Error(`the server sends more than the ${maxBytes} bytes that were asked for`, response.status)
}

/** Such as `the server answers 403 AccessDenied: Access Denied`. */
export const refusal = (
  { access }: Bucket,
  status: number,
  body: Uint8Array,
  location: string | null = null,
): S3Error => {
  const xml = new TextDecoder().decode(body.subarray(0, 65_536))
  const code = textOf(xml, 'Code') ?? ''
  const said = [code, textOf(xml, 'Message') ?? '']
    .filter(Boolean)
    .join(': ')
    // A server could repeat what it got.
    .replaceAll(access.secretAccessKey, '***')
    .replaceAll(access.accessKeyId, '***')
    .replaceAll(access.sessionToken ?? access.accessKeyId, '***')
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, 300)
  return new S3Error(
    `the server responded with ${status}${said && ` ${said}`}${hintFor(status, said !== '', location)}`,
    code === 'RequestTimeout' ? 408 : status,
  )
}

/** A proxy may lead from http:// to https://, and Amazon to another region. The signature does not count there. */
const hintFor = (status: number, isExplained: boolean, location: string | null): string => {
  const elsewhere = URL.parse(location ?? '')?.origin
  if (elsewhere) return `, which leads to ${elsewhere}`
  // The response to HEAD has no body.
  return isExplained ? '' : (hints[status] ?? '')
}
const hints: Readonly<Record<number, string>> = {
  301: ', so the bucket is in another region',
  403: ', so access is denied',
  404: ', so it is not there',
}

const tooSlow = ({ limits }: Bucket): string =>
  `the server did not respond within ${limits.requestMilliseconds / 1000} seconds`

const notReached = ({ host }: URL, error: unknown): string => {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return `the connection to ${host} failed (${typeof code === 'string' ? code : message})`
}
